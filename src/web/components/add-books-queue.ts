import { html } from 'hono/html'
import type { LibraryRoom } from '../../imports/library-room.ts'
import type { Html } from './html.ts'

interface QueueOptions {
  /** The session's CSRF token. */
  token: string
  room: LibraryRoom
}

/**
 * The list in which the script `add-books` shows the files that it sends; hidden while it is empty. A page with this
 * list accepts files dropped anywhere on it. Load the scripts `add-books` and `live-imports`.
 */
export function addBooksQueue({ token, room }: QueueOptions): Html {
  return html`<section
      class="add-queue"
      data-add-books
      data-csrf="${token}"
      data-max-mb="${room.uploadMb}"
      data-books-left="${room.booksLeft}"
      aria-labelledby="add-queue-heading"
      hidden
    >
      <h2 id="add-queue-heading" tabindex="-1">Your files</h2>
      <p class="facts" data-add-summary></p>
      <p class="hidden-text" role="status" data-add-news></p>
      <ul class="rows" data-add-list></ul>
      <template data-add-row
        ><li class="add-row">
          <div>
            <strong dir="auto" data-name></strong>
            <p class="facts add-state" data-state></p>
            <progress max="1" value="0" data-sent></progress>
            <div class="import-status" data-import hidden>
              <span class="import-label">Waiting to be read</span>
              <progress max="1" value="0"></progress>
            </div>
          </div>
          <div class="actions">
            <a class="button quiet" data-action="open" hidden></a>
            <button type="button" data-action="again" hidden>Add anyway</button>
            <button type="button" data-action="retry" hidden>Try again</button>
            <button type="button" class="quiet" data-action="cancel">Cancel</button>
            <button type="button" class="quiet" data-action="remove" hidden>Remove from the list</button>
          </div>
        </li></template
      >
    </section>
    <div class="drop-hint" data-drop-hint hidden><p>Drop the files to add them</p></div>`
}
