import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { s3, s3SkipReason } from '../files/open-stores.ts'
import { findingsIn, makeSmallLibrary, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { runLectern } from '../support/run-lectern.ts'

const places = usePlaces()

/** The settings of a library whose files are in a new bucket. */
async function inNewBucket(directory: string): Promise<{ bucket: string; environment: Record<string, string> }> {
  if (!s3) throw new Error(s3SkipReason)
  const { endpoint, region, accessKey, secretKey } = s3
  const bucket = `lectern-${randomBytes(6).toString('hex')}`
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  const environment = placeEnvironment(directory, {
    LECTERN_FILES: 's3',
    LECTERN_S3_BUCKET: bucket,
    LECTERN_S3_ENDPOINT: endpoint,
    LECTERN_S3_REGION: region,
    LECTERN_S3_ACCESS_KEY: accessKey,
    LECTERN_S3_SECRET_KEY: secretKey,
    LECTERN_S3_FORCE_PATH_STYLE: 'true',
  })
  return { bucket, environment }
}

describe.skipIf(s3 === null)(`files in a bucket (${s3 === null ? s3SkipReason : s3.endpoint})`, () => {
  let source = ''
  beforeAll(async () => {
    source = places.path('source')
    await makeSmallLibrary(source)
  }, 60_000)

  test(
    'are the same after a copy to a bucket, a backup, a restore to another bucket and a copy back to disk',
    { timeout: 180_000 },
    async () => {
      const there = await inNewBucket(places.path('there'))
      const { LECTERN_DATA_DIR: directory = '', ...settings } = there.environment
      const environment = { ...settings, ...placeEnvironment(source), LECTERN_FILES: 'disk' }
      const copied = await runOn(environment, 'copy', '--to', directory, '--files', `s3://${there.bucket}`)
      expect(copied).toMatchObject({ missing: [], erased: [], files: { count: 2 } })
      expect(await findingsIn(there.environment)).toEqual([])

      const archive = `${places.path('archive')}.tar.zst`
      const backup = await runOn(there.environment, 'backup', '--to', archive)
      expect(backup).toMatchObject({ files: copied.files, missing: [] })

      const restored = await inNewBucket(places.path('restored'))
      expect(await runOn(restored.environment, 'restore', '--from', archive)).toMatchObject({ files: copied.files })
      expect(await findingsIn(restored.environment)).toEqual([])

      const back = places.path('back')
      const returned = await runOn(restored.environment, 'copy', '--to', back)
      expect(returned.files).toEqual(copied.files)
      expect(returned.collections).toEqual(copied.collections)
      expect(await findingsIn(placeEnvironment(back))).toEqual([])
    },
  )

  test('are not copied to a place that contains a library', { timeout: 60_000 }, async () => {
    const there = await inNewBucket(places.path('taken'))
    const files = ['--files', `s3://${there.bucket}`]
    const { LECTERN_DATA_DIR: directory = '', ...settings } = there.environment
    const environment = { ...settings, ...placeEnvironment(source), LECTERN_FILES: 'disk' }
    await runOn(environment, 'copy', '--to', directory, ...files)
    const refused = await runLectern(['copy', '--to', places.path('other'), ...files], environment)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/bucket|files/i)
  })
})
