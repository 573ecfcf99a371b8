/** The results of `FPDFPageObj_GetType` for objects. A form is a group of objects. */
export const objectType = { text: 1, path: 2, image: 3, shading: 4, form: 5 } as const
