// Preloaded before a program: shifts its clock by TEST_CLOCK_MS, like a machine with a wrong clock.
const offsetMs = Number(process.env['TEST_CLOCK_MS'] ?? 0)

globalThis.Date = new Proxy(Date, {
  construct: (real, args, target) =>
    Reflect.construct(real, args.length === 0 ? [real.now() + offsetMs] : args, target),
  get: (real, name, receiver) =>
    name === 'now' ? () => real.now() + offsetMs : (Reflect.get(real, name, receiver) as unknown),
})
