const names = ['Kelda', 'Brine', 'Osk', 'Harran', 'Tolm', 'Vesper', 'Quill', 'Marl', 'Sable', 'Fenn', 'Rusk', 'Ayle']
const kinds = ['Roads', 'Haven', 'Pier', 'Sound', 'Bight']
const ground = ['sand over clay', 'soft mud', 'shingle', 'weed on rock', 'shell and sand']
const months = ['January February March April May June', 'July August September October November December'].flatMap(
  (half) => half.split(' '),
)
const winds = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west']

/** The number of harbours in the almanac, one per page. */
export const stations = 60

/** A reference work that is too long for one answer: pilot notes and tide tables. It is the same on every machine. */
export function almanacText(): string {
  return Array.from({ length: stations }, (_, index) => stationPage(index + 1)).join('')
}

/** The name of a harbour; numbers begin with 1. */
export function stationName(number: number): string {
  return `${pick(names, number * 7)} ${pick(kinds, Math.floor(number / names.length))}`
}

/** Mean high water of a harbour in a month (0 is January), in metres above chart datum. */
export function highWater(number: number, month: number): number {
  return (310 + ((number * 61) % 151) + ((month * (number + 11)) % 23)) / 100
}

function stationPage(number: number): string {
  const depth = (18 + ((number * 13) % 71)) / 10
  const rows = months.map((name, month) => {
    const high = highWater(number, month)
    const low = (40 + ((number * 17) % 60) + ((month * 5) % 9)) / 100
    return `| ${name} | ${high.toFixed(2)} | ${low.toFixed(2)} | ${(high - low).toFixed(2)} | ${tideTime(number, month)} |`
  })
  return [
    `# Station ${number}: ${stationName(number)}`,
    '',
    `Least depth in the entrance ${depth.toFixed(1)} metres. Holding ground: ${pick(ground, number)}. Exposed to the ` +
      `${pick(winds, number * 3)}, from which the swell sets in after ${6 + (number % 7)} hours of wind. The leading ` +
      `line bears ${(number * 29) % 360} degrees; the front mark is ${number % 2 ? 'white' : 'red'}, the rear one ` +
      `${20 + ((number * 3) % 40)} metres behind it. Call the harbour master on VHF ${6 + (number % 12)} before ` +
      `passing the outer buoy. Visitors lie on the ${number % 3 ? 'inner' : 'outer'} quay, for at most ` +
      `${1 + (number % 5)} nights, and pay ${14 + (number % 9)} crowns for each. Water is at the steps, fuel ` +
      `${number % 4 ? 'on the fish quay' : 'by lorry on two days of notice'}. The tidal stream runs at up to ` +
      `${(8 + ((number * 11) % 29)) / 10} knots in the narrows and turns ${10 + (number % 50)} minutes before high water.`,
    '',
    '| Month | Mean high water, m | Mean low water, m | Mean range, m | High water at full moon |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...(longPageStations.has(number) ? distanceTable(number) : []),
    `Corrections: for every 10 hectopascals above 1,013 take ${8 + (number % 4)} centimetres from the heights; with a ` +
      `gale from the ${pick(winds, number * 5 + 1)} add up to ${20 + (number % 30)}.`,
    '',
    '',
  ].join('\n')
}

/** The long pages of the almanac. Every truncated answer ends before one of them. */
const longPageStations: ReadonlySet<number> = new Set([27, 50])

function distanceTable(from: number): string[] {
  const rows = Array.from({ length: stations }, (_, index) => index + 1).filter((number) => number !== from)
  return [
    'All heights of this almanac refer to the gauge of this harbour. Distances from here, in nautical miles, by the inner',
    'and by the outer channel, with the hours that a boat of six knots takes for them:',
    '',
    '| To | Inner channel | Outer channel | Hours |',
    '|---|---|---|---|',
    ...rows.map((number) => {
      const inner = 3 + Math.abs(number - from) * 2 + (number % 5)
      const outer = inner + 4 + (number % 7)
      return `| ${stationName(number)}, station ${number} | ${inner} miles | ${outer} miles | ${(inner / 6).toFixed(1)} to ${(outer / 6).toFixed(1)} |`
    }),
    '',
  ]
}

function tideTime(number: number, month: number): string {
  const minutes = (number * 53 + month * 31) % (12 * 60)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

function pick(words: readonly string[], at: number): string {
  return words[at % words.length] ?? ''
}
