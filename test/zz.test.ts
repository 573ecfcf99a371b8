import { test } from 'vitest'
import { startTestServer } from './support/server.ts'
import { makeBook, markdownPages } from './support/make-book.ts'
import { transports } from './support/transports.ts'
import { rateLimits } from '../src/accounts/rate-limiter.ts'
import { runChecks } from '../src/admin/doctor/run-checks.ts'
const N = 100
test('x', async () => {
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))
  const s = await startTestServer({LECTERN_ROLE: process.env.ROLE ?? 'all'}, { monitorCommands: true, rateLimits: unlimited as never })
  let cmds: string[] = []
  s.running.opened.database.db.client.on('commandStarted', (e: any) => cmds.push(e.commandName + ':' + Object.values(e.command)[0]))
  const cpu = async (name: string, f: () => Promise<any>) => { for (let i = 0; i < 20; i++) await f(); cmds=[]; await f(); const one = cmds; const a = process.cpuUsage(); for (let i = 0; i < N; i++) await f(); const b = process.cpuUsage(a); console.log(name, ((b.user)/1000/N).toFixed(1), 'user', ((b.system)/1000/N).toFixed(1), 'sys; commands', one.length, one.join(' ').slice(0,300)) }
  const p = await s.createPerson()
  await cpu('noop ping', () => s.running.opened.database.db.command({ping:1}))
  await cpu('insert', () => s.running.opened.database.db.collection('zz').insertOne({a: 1}))
  await cpu('health', () => fetch(s.baseUrl+'/healthz').then(r => r.text()))
  await cpu('person', () => s.createPerson())
  await cpu('book', () => makeBook(s, p, { content: markdownPages(3) }))
  const b = await makeBook(s, p, { content: markdownPages(3) })
  for (const [n, t] of transports) { await cpu(n + ' whoami', () => t.call(s, p, 'whoami')); await cpu(n+' read', () => t.call(s, p, 'read_items', { items: [{id: b}]})); await cpu(n+' refusal', () => t.call(s, p, 'get_item_content', {id: 'none'})) }
  await cpu('checks', async () => { if (cmds.length === 0 || N) return; })
  for (let i=0;i<3;i++) { cmds = []; const a = process.cpuUsage(); await runChecks({ db: s.running.opened.database.db, services: s.running.opened.services, deep: true }); const c = process.cpuUsage(a); console.log('checks', c, cmds.length) }
  await s.close()
}, 600000)
