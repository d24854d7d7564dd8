# The image of the service: docker build -t oddswire .
# It contains Node, the compiled code and the production packages. It contains no compiler, no browser and no sources.
#   docker run -p 8080:8080 oddswire            starts the service; settings are environment variables (docs/settings.md)
#   docker run oddswire migrate                 runs another command: demo, migrate, import, export, doctor, mcp
#   docker run --read-only …                    works: the service writes only to the volume /var/lib/oddswire

# For builds that can be repeated, pin the base: --build-arg NODE_IMAGE=docker.io/library/node:24-slim@sha256:…
ARG NODE_IMAGE=docker.io/library/node:24-slim

FROM ${NODE_IMAGE} AS build
# yes: the image has the optional packages too, among them Postgres (DATABASE_URL=embedded:/var/lib/oddswire/postgres).
ARG OPTIONAL_PACKAGES=no
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY scripts/keep-build-packages.mjs scripts/
RUN if [ "$OPTIONAL_PACKAGES" = yes ]; then with=--with-optional; fi \
  && node scripts/keep-build-packages.mjs $with && npm ci --no-audit --no-fund
COPY . .
RUN node scripts/setup.mjs && rm -f dist/examples/*.js dist/examples/*.js.map
# Only production packages remain. The types and source maps of packages are for developers, and the client is not part of
# the service: the program of users has its code in dist.
RUN if [ "$OPTIONAL_PACKAGES" = yes ]; then with=--with-optional; else omit=--omit=optional; fi \
  && node scripts/sbom.mjs $with \
  && node scripts/keep-build-packages.mjs $with && npm prune --omit=dev $omit --no-audit --no-fund \
  && rm -rf node_modules/@oddswire node_modules/.package-lock.json \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -exec rm {} + \
  && mkdir /state

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Oddswire" \
  org.opencontainers.image.description="A paged feed of news events, each with the prediction markets it bears on, behind API keys." \
  org.opencontainers.image.licenses="MIT"
ENV STATE_DIR=/var/lib/oddswire
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/node_modules node_modules
# The software bill of materials is dist/sbom.cdx.json.
COPY --from=build /app/dist dist
COPY --from=build --chown=1000:1000 /state /var/lib/oddswire
VOLUME /var/lib/oddswire
# The user `node` of the base, as a number, so that Kubernetes can check that it is not root.
USER 1000:1000
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "dist/src/commands/healthcheck.js"]
# Node itself is process 1 and gets SIGTERM. The flags are those of `npm start`.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--no-parallel-scavenge", "--enable-source-maps", "dist/src/commands/oddswire.js"]
CMD ["start"]
