import type { Tool } from '../src/core/tool.ts'
import createApiKey from './account/create-api-key.ts'
import exportAccount from './account/export-account.ts'
import listApiKeys from './account/list-api-keys.ts'
import revokeApiKey from './account/revoke-api-key.ts'
import whoami from './account/whoami.ts'
import checkCitations from './citations/check-citations.ts'
import createMarkdownItem from './books/create-markdown-item.ts'
import enrichItem from './books/enrich-item.ts'
import flagItem from './books/flag-item.ts'
import getUsableBooks from './books/get-usable-books.ts'
import pickUsableBooks from './books/pick-usable-books.ts'
import deleteItems from './books/delete-items.ts'
import eraseDeletedItem from './books/erase-deleted-item.ts'
import listDeletedItems from './books/list-deleted-items.ts'
import undeleteItem from './books/undelete-item.ts'
import librarySummary from './books/library-summary.ts'
import listItems from './books/list-items.ts'
import dismissBookGap from './gaps/dismiss-book-gap.ts'
import listAuthorGaps from './gaps/list-author-gaps.ts'
import listBookGaps from './gaps/list-book-gaps.ts'
import reportBookGap from './gaps/report-book-gap.ts'
import reportGap from './gaps/report-gap.ts'
import resolveBookGap from './gaps/resolve-book-gap.ts'
import restoreBookGap from './gaps/restore-book-gap.ts'
import suggestBook from './gaps/suggest-book.ts'
import updateBookGap from './gaps/update-book-gap.ts'
import cancelJob from './imports/cancel-job.ts'
import checkUpload from './imports/check-upload.ts'
import confirmUpload from './imports/confirm-upload.ts'
import getJob from './imports/get-job.ts'
import getRecognition from './imports/get-recognition.ts'
import importUrl from './imports/import-url.ts'
import listJobs from './imports/list-jobs.ts'
import reprocessItem from './imports/reprocess-item.ts'
import startUpload from './imports/start-upload.ts'
import uploadFile from './imports/upload-file.ts'
import fetchPage from './reading/fetch.ts'
import exportItem from './reading/export-item.ts'
import getItemContent from './reading/get-item-content.ts'
import getFigure from './reading/get-figure.ts'
import getItemFile from './reading/get-item-file.ts'
import getTableOfContents from './reading/get-table-of-contents.ts'
import readItems from './reading/read-items.ts'
import browseMarketplace from './marketplace/browse-marketplace.ts'
import listListings from './marketplace/list-listings.ts'
import publishListing from './marketplace/publish-listing.ts'
import subscribeMarketplace from './marketplace/subscribe-marketplace.ts'
import unsubscribeMarketplace from './marketplace/unsubscribe-marketplace.ts'
import updateListing from './marketplace/update-listing.ts'
import withdrawListing from './marketplace/withdraw-listing.ts'
import listNotifications from './notifications/list-notifications.ts'
import markNotificationsRead from './notifications/mark-notifications-read.ts'
import getConfig from './settings/get-config.ts'
import listMachines from './settings/list-machines.ts'
import reportAgents from './settings/report-agents.ts'
import switchAgent from './settings/switch-agent.ts'
import search from './search/search.ts'
import searchItems from './search/search-items.ts'
import changeMeaningSearch from './settings/change-meaning-search.ts'
import getMeaningSearch from './settings/get-meaning-search.ts'
import updateConfig from './settings/update-config.ts'
import sendReport from './support/send-report.ts'
import appendItemPages from './writing/append-item-pages.ts'
import listItemVersions from './writing/list-item-versions.ts'
import putItemContent from './writing/put-item-content.ts'
import putItemPage from './writing/put-item-page.ts'
import purgeItemVersion from './writing/purge-item-version.ts'
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
import acceptInvite from './teams/accept-invite.ts'
import addDepartmentMember from './teams/add-department-member.ts'
import changeTeamRole from './teams/change-team-role.ts'
import createDepartment from './teams/create-department.ts'
import createTeam from './teams/create-team.ts'
import declineInvite from './teams/decline-invite.ts'
import deleteDepartment from './teams/delete-department.ts'
import deleteTeam from './teams/delete-team.ts'
import getAccessReport from './teams/get-access-report.ts'
import inviteTeamMember from './teams/invite-team-member.ts'
import leaveTeam from './teams/leave-team.ts'
import listDepartmentMembers from './teams/list-department-members.ts'
import listDepartments from './teams/list-departments.ts'
import listInvites from './teams/list-invites.ts'
import listTeamItems from './teams/list-team-items.ts'
import listTeamMembers from './teams/list-team-members.ts'
import listTeams from './teams/list-teams.ts'
import removeDepartmentMember from './teams/remove-department-member.ts'
import removeTeamMember from './teams/remove-team-member.ts'
import renameDepartment from './teams/rename-department.ts'
import shareItem from './teams/share-item.ts'
import unshareItem from './teams/unshare-item.ts'
import updateShare from './teams/update-share.ts'
import updateTeam from './teams/update-team.ts'

/** All capabilities, in the order in which agents see them. */
export const tools = [
  whoami,
  librarySummary,
  listItems,
  searchItems,
  getTableOfContents,
  readItems,
  getItemContent,
  getFigure,
  getItemFile,
  exportItem,
  checkCitations,
  search,
  fetchPage,
  createMarkdownItem,
  appendItemPages,
  putItemPage,
  putItemContent,
  enrichItem,
  flagItem,
  reprocessItem,
  deleteItems,
  undeleteItem,
  listDeletedItems,
  eraseDeletedItem,
  listItemVersions,
  restoreItemVersion,
  purgeItemVersion,
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
  listBookGaps,
  resolveBookGap,
  restoreBookGap,
  dismissBookGap,
  updateBookGap,
  listAuthorGaps,
  reportGap,
  reportBookGap,
  suggestBook,
  getUsableBooks,
  pickUsableBooks,
  startAccessSession,
  completeAccessSession,
  browseMarketplace,
  subscribeMarketplace,
  unsubscribeMarketplace,
  listListings,
  publishListing,
  updateListing,
  withdrawListing,
  checkUpload,
  startUpload,
  confirmUpload,
  uploadFile,
  importUrl,
  listJobs,
  getJob,
  getRecognition,
  cancelJob,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  exportAccount,
  getConfig,
  updateConfig,
  getMeaningSearch,
  changeMeaningSearch,
  switchAgent,
  reportAgents,
  listMachines,
  listNotifications,
  markNotificationsRead,
  sendReport,
  getValueReport,
  listReportSessions,
  listTeams,
  createTeam,
  updateTeam,
  deleteTeam,
  leaveTeam,
  listTeamMembers,
  inviteTeamMember,
  changeTeamRole,
  removeTeamMember,
  listInvites,
  acceptInvite,
  declineInvite,
  listDepartments,
  createDepartment,
  renameDepartment,
  deleteDepartment,
  listDepartmentMembers,
  addDepartmentMember,
  removeDepartmentMember,
  listTeamItems,
  shareItem,
  updateShare,
  unshareItem,
  getAccessReport,
] as const satisfies readonly Tool[]
