# One image for every role: LECTERN_ROLE says what a container does. `docker build --tag lectern .`

# Builds the package, and installs its dependencies next to it.
FROM node:24-trixie-slim AS package
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts: one of them would bring along a second Node.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --silent \
  && mkdir /package \
  && tar -xzf lectern-*.tgz --strip-components=1 -C /package \
  && cp package-lock.json /package
WORKDIR /package
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-trixie-slim
# The languages in which scanned pages are read, as Tesseract names them.
ARG TESSERACT_LANGUAGES="eng deu fra spa"
# hadolint ignore=DL3008,SC2046,SC2086
RUN apt-get update \
  && apt-get install -y --no-install-recommends $(printf 'tesseract-ocr-%s ' $TESSERACT_LANGUAGES) \
  && rm -rf /var/lib/apt/lists/*
COPY --from=package /package /opt/lectern
RUN ln -s /opt/lectern/bin/lectern.cjs /usr/local/bin/lectern \
  && mkdir -m 700 /data \
  && chown node:node /data
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    LECTERN_DATA_DIR=/data
# The user `node` by its number, so that Kubernetes knows that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["lectern", "start"]
