# docker build -t chartgate .                   the gateway alone
# docker build -t chartgate-demo --target demo . with the sandbox: demo EHR, invented people, sample app
#
# A company whose proxy signs what comes from the internet gives its authority, which the image then trusts too:
#   --build-arg COMPANY_CA="$(cat company-ca.pem)"
# and one with a registry of its own: --build-arg NPM_CONFIG_REGISTRY=https://…

FROM node:24-slim AS base
ARG COMPANY_CA=""
RUN mkdir -p /etc/chartgate /etc/ssl/certs && printf '%s\n' "$COMPANY_CA" > /etc/chartgate/authorities.pem
ENV SSL_CERT_FILE=/etc/chartgate/authorities.pem NODE_OPTIONS=--use-system-ca

# The build needs the compiler and the console's packages; the image does not.
FROM base AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json ./console/
COPY tools/package.json ./tools/
RUN npm ci --workspace console --workspace tools --include-workspace-root
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY console ./console
COPY src ./src
COPY openapi ./openapi
COPY mappings ./mappings
COPY docs ./docs
COPY deploy ./deploy
COPY *.md LICENSE ./
COPY sandbox/clinician-app/vendor.ts ./sandbox/clinician-app/
RUN npm run build -- --gateway && npm prune --omit=dev --omit=optional --workspaces=false

FROM build AS build-demo
COPY package-lock.json ./
COPY sandbox ./sandbox
RUN npm ci && npm run build -- --sandbox \
  && npm ci --omit=dev --omit=optional --workspace sandbox --include-workspace-root && ln -sfn .. node_modules/chartgate

FROM base AS runtime
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Chartgate" \
  org.opencontainers.image.description="A FHIR interoperability gateway: wearable and laboratory webhooks in, the chart kept right, a SMART on FHIR read API out." \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/node:24-slim"
# npm and its like are for building.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn* /usr/local/bin/npm /usr/local/bin/npx \
  /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
ENV NODE_ENV=production CHARTGATE_HOST=0.0.0.0 NODE_OPTIONS=
COPY --from=build /app/package.json /app/LICENSE /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY --from=build /app/openapi /app/openapi
COPY --from=build /app/mappings /app/mappings
# Compiled code for the user who runs it, who cannot change it.
RUN rm -rf /app/dist/compile-cache && mkdir /app/dist/compile-cache && chown node /app/dist/compile-cache \
  && su node -s /bin/sh -c 'node /app/dist/main.js serve --help > /dev/null' \
  && chown -R root:root /app/dist/compile-cache && chmod -R a+rX,go-w /app/dist/compile-cache
# The default database is data/chartgate.db below the working folder.
WORKDIR /var/lib/chartgate
RUN mkdir data && chown -R node:node . && chmod 700 . data
USER node
VOLUME /var/lib/chartgate/data
EXPOSE 8080
# Nothing is written outside the volume: run with --read-only --cap-drop ALL --security-opt no-new-privileges.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "/app/dist/healthcheck.js"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-proto=throw", "--no-addons", "--use-system-ca", "/app/dist/main.js"]

# docker run --rm -p 127.0.0.1:8080-8083:8080-8083 chartgate-demo
FROM runtime AS demo
COPY --from=build-demo /app/node_modules /app/node_modules
COPY --from=build-demo /app/sandbox/package.json /app/sandbox/
COPY --from=build-demo /app/sandbox/dist /app/sandbox/dist
EXPOSE 8081 8082 8083
CMD ["demo", "--listen", "0.0.0.0"]

# The last one is what a build without --target makes.
FROM runtime AS gateway
CMD ["serve"]
