import { defineConfig } from "vitest/config"

const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    coverage: { include: ["src/**", "adapters/**"] },
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/package/**", "test/reliability/**", "test/tables/**"],
        },
      },
      {
        // Real processes that are killed, starved and lied to: after the others, which would slow them down.
        extends: true,
        test: { name: "reliability", include: ["test/reliability/**/*.test.ts"], sequence: { groupOrder: 1 } },
      },
      {
        // Documents that say what the others found.
        extends: true,
        test: { name: "tables", include: ["test/tables/**/*.test.ts"], sequence: { groupOrder: 2 } },
      },
      {
        // The package as users get it: built and packed once, before these tests and only for them.
        extends: true,
        test: { name: "package", include: ["test/package/**/*.test.ts"], globalSetup: ["test/package/pack.ts"] },
      },
    ],
  },
})
