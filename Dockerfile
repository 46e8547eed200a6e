# Two stages: the build needs the compiler and the console's packages, the image does not. Neither has the sandbox.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json ./console/
RUN npm ci --workspace console --include-workspace-root
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY console ./console
COPY src ./src
COPY openapi ./openapi
COPY mappings ./mappings
RUN npm run build -- --gateway && npm prune --omit=dev --omit=optional --workspaces=false

FROM node:24-slim
ENV NODE_ENV=production CHARTGATE_HOST=0.0.0.0
COPY --from=build /app/package.json /app/
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
# Behind a proxy the listener speaks HTTP; with TLS by ourselves override this check.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CHARTGATE_PORT ?? 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-proto=throw", "--no-addons", "/app/dist/main.js"]
CMD ["serve"]
