import { html } from 'hono/html'
import { dayInWords } from '../../../core/day-in-words.ts'
import type { ValueReport } from '../../../research/schema.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** Longer periods are shown by weeks, so that a bar is wide enough to be pointed at. */
const maxBars = 100
const height = 100

interface Bar {
  from: string
  to: string
  pagesRead: number
}

/** The pages read on each day or in each week as bars, and as a table of the same content. */
export function pagesPerDay(daily: ValueReport['daily']): Html {
  const bars = groupDays(daily, daily.length > maxBars ? 7 : 1)
  const most = Math.max(1, ...bars.map(({ pagesRead }) => pagesRead))
  const isByWeek = daily.length > maxBars
  return html`<figure class="activity-chart">
    <p class="facts">${isByWeek ? 'The most in a week' : 'The most on a day'}: ${formatPageCount(most)}</p>
    <svg viewBox="0 0 ${bars.length} ${height}" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      ${bars.map((bar, index) => barOf(bar, { index, size: Math.ceil((bar.pagesRead / most) * height) }))}
    </svg>
    <figcaption class="facts">
      <span>${formatDay(bars[0]?.from ?? '')}</span>
      <span>${formatDay(bars.at(-1)?.to ?? '')}</span>
    </figcaption>
    <details>
      <summary>Show as a table</summary>
      <div class="table-wrap">
        <table class="activity-table">
          <thead>
            <tr>
              <th scope="col">${isByWeek ? 'Week' : 'Day'}</th>
              <th scope="col" class="number">Pages read</th>
            </tr>
          </thead>
          <tbody>
            ${bars
              .filter(({ pagesRead }) => pagesRead > 0)
              .toReversed()
              .map(
                (bar) =>
                  html`<tr>
                    <td>${spanOf(bar)}</td>
                    <td class="number">${bar.pagesRead.toLocaleString('en-GB')}</td>
                  </tr>`,
              )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
}

/** Groups days from the last one on; the first group may have fewer days. */
function groupDays(daily: ValueReport['daily'], size: number): Bar[] {
  const bars: Bar[] = []
  for (let end = daily.length; end > 0; end -= size) {
    const days = daily.slice(Math.max(0, end - size), end)
    bars.unshift({
      from: days[0]?.date ?? '',
      to: days.at(-1)?.date ?? '',
      pagesRead: days.reduce((sum, { pagesRead }) => sum + pagesRead, 0),
    })
  }
  return bars
}

function spanOf({ from, to }: Bar): Html {
  return from === to ? formatDay(from) : html`${formatDay(from)} – ${formatDay(to)}`
}

function barOf({ from, to, pagesRead }: Bar, { index, size }: { index: number; size: number }): Html {
  const [first, last] = [dayInWords(from), dayInWords(to)]
  const span = from === to ? first : `${first} – ${last}`
  return html`<g
    ><title>${span}: ${formatPageCount(pagesRead)}</title
    ><rect class="chart-space" x="${index}" y="0" width="1" height="${height}"></rect
    ><rect class="chart-bar" x="${index + 0.1}" y="${height - size}" width="0.8" height="${size}"></rect
  ></g>`
}
