// Verifies an archive, like the first step of a restore; for bench/backup.ts.
import { verifyArchive } from '../src/backup/restore.ts'

await verifyArchive(process.argv[2] ?? '', () => {})
