// Verifies an archive, as a restore does first; for bench/backup.ts.
import { verifyArchive } from '../src/backup/restore.ts'

await verifyArchive(process.argv[2] ?? '', () => {})
