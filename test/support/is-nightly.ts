/** Whether tests that take long and find little that others miss run, too: with `LECTERN_TEST_NIGHTLY`. */
export const isNightly = process.env['LECTERN_TEST_NIGHTLY'] !== undefined
