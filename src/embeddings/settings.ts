/** The embedding service that the operator has configured. */
export interface EmbeddingSettings {
  /** The URL that texts are sent to, such as https://api.example.com/v1/embeddings. */
  endpoint: string
  model: string
  /** The bearer token; undefined: none. */
  key: string | undefined
}

interface EmbeddingEnvironment {
  LECTERN_EMBEDDINGS_URL?: string | undefined
  LECTERN_EMBEDDINGS_MODEL?: string | undefined
  LECTERN_EMBEDDINGS_KEY?: string | undefined
}

/** Reads the settings; undefined without a URL. Adds one line to `problems` per invalid setting. */
export function readEmbeddingSettings(
  { LECTERN_EMBEDDINGS_URL: url, LECTERN_EMBEDDINGS_MODEL: model, LECTERN_EMBEDDINGS_KEY: key }: EmbeddingEnvironment,
  problems: string[],
): EmbeddingSettings | undefined {
  if (url === undefined) {
    if (model !== undefined || key !== undefined)
      problems.push('LECTERN_EMBEDDINGS_URL: required with LECTERN_EMBEDDINGS_MODEL and LECTERN_EMBEDDINGS_KEY')
    return undefined
  }
  const endpoint = URL.parse(url)
  const isPlain = endpoint !== null && endpoint.username === '' && endpoint.password === '' && endpoint.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(endpoint.protocol)) {
    problems.push('LECTERN_EMBEDDINGS_URL: must be an http or https address; a key goes into LECTERN_EMBEDDINGS_KEY')
    return undefined
  }
  if (model === undefined) {
    problems.push('LECTERN_EMBEDDINGS_MODEL: required with LECTERN_EMBEDDINGS_URL')
    return undefined
  }
  const path = endpoint.pathname.replace(/\/+$/, '')
  if (!path.endsWith('/embeddings')) endpoint.pathname = `${path}/embeddings`
  return { endpoint: endpoint.href, model, key }
}
