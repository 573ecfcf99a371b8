/** True to include slow tests that rarely find anything new; set by `LECTERN_TEST_NIGHTLY`. */
export const isNightly = process.env['LECTERN_TEST_NIGHTLY'] !== undefined
