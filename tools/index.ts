import type { Tool } from '../src/tool.ts'
import createApiKey from './account/create-api-key.ts'
import listApiKeys from './account/list-api-keys.ts'
import revokeApiKey from './account/revoke-api-key.ts'
import whoami from './account/whoami.ts'
import createMarkdownItem from './books/create-markdown-item.ts'
import enrichItem from './books/enrich-item.ts'
import flagItem from './books/flag-item.ts'
import getUsableBooks from './books/get-usable-books.ts'
import pickUsableBooks from './books/pick-usable-books.ts'
import deleteItems from './books/delete-items.ts'
import librarySummary from './books/library-summary.ts'
import listItems from './books/list-items.ts'
import cancelJob from './imports/cancel-job.ts'
import checkUpload from './imports/check-upload.ts'
import confirmUpload from './imports/confirm-upload.ts'
import getJob from './imports/get-job.ts'
import listJobs from './imports/list-jobs.ts'
import reprocessItem from './imports/reprocess-item.ts'
import startUpload from './imports/start-upload.ts'
import getItemContent from './reading/get-item-content.ts'
import getTableOfContents from './reading/get-table-of-contents.ts'
import readItems from './reading/read-items.ts'
import listNotifications from './notifications/list-notifications.ts'
import markNotificationsRead from './notifications/mark-notifications-read.ts'
import getConfig from './settings/get-config.ts'
import listMachines from './settings/list-machines.ts'
import reportAgents from './settings/report-agents.ts'
import switchAgent from './settings/switch-agent.ts'
import searchItems from './search/search-items.ts'
import updateConfig from './settings/update-config.ts'
import sendReport from './support/send-report.ts'
import appendItemPages from './writing/append-item-pages.ts'
import listItemVersions from './writing/list-item-versions.ts'
import putItemContent from './writing/put-item-content.ts'
import putItemPage from './writing/put-item-page.ts'
import restoreItemVersion from './writing/restore-item-version.ts'
import archiveManuscript from './manuscripts/archive-manuscript.ts'
import createManuscript from './manuscripts/create-manuscript.ts'
import listManuscripts from './manuscripts/list-manuscripts.ts'
import updateManuscript from './manuscripts/update-manuscript.ts'
import addToShelf from './shelves/add-to-shelf.ts'
import createShelf from './shelves/create-shelf.ts'
import deleteShelf from './shelves/delete-shelf.ts'
import getShelf from './shelves/get-shelf.ts'
import listShelves from './shelves/list-shelves.ts'
import removeFromShelf from './shelves/remove-from-shelf.ts'
import updateShelf from './shelves/update-shelf.ts'
import completeAccessSession from './research/complete-access-session.ts'
import getValueReport from './research/get-value-report.ts'
import listReportSessions from './research/list-report-sessions.ts'
import startAccessSession from './research/start-access-session.ts'

/** Every capability, in the order agents see them. */
export const tools: readonly Tool[] = [
  whoami,
  librarySummary,
  listItems,
  searchItems,
  getTableOfContents,
  readItems,
  getItemContent,
  createMarkdownItem,
  appendItemPages,
  putItemPage,
  putItemContent,
  enrichItem,
  flagItem,
  reprocessItem,
  deleteItems,
  listItemVersions,
  restoreItemVersion,
  listShelves,
  getShelf,
  createShelf,
  updateShelf,
  deleteShelf,
  addToShelf,
  removeFromShelf,
  listManuscripts,
  createManuscript,
  updateManuscript,
  archiveManuscript,
  getUsableBooks,
  pickUsableBooks,
  startAccessSession,
  completeAccessSession,
  checkUpload,
  startUpload,
  confirmUpload,
  listJobs,
  getJob,
  cancelJob,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getConfig,
  updateConfig,
  switchAgent,
  reportAgents,
  listMachines,
  listNotifications,
  markNotificationsRead,
  sendReport,
  getValueReport,
  listReportSessions,
]
