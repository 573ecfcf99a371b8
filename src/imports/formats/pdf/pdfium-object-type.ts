/** The results of `FPDFPageObj_GetType` for objects other than text. A form is a group of objects. */
export const objectType = { path: 2, image: 3, shading: 4, form: 5 } as const
