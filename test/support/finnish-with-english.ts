/** Finnish of which some sentences are not translated. */
export const finnishWithEnglish =
  'Uudet ikkunat avataan valikosta Ikkuna, ja niissä näkyy sama asiakirja. Ikkunan sisältö voidaan tallentaa, kun asiakirjaa on muokattu. ' +
  'To open a new window on the same document, choose the command in the menu, and then select the part that you want to see in it. ' +
  'Ikkuna suljetaan napsauttamalla ruutua, joka on otsikkorivin oikeassa reunassa. ' +
  'If the document is not saved, you are asked what to do with the changes.'
