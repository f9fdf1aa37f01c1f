import { defineConfig } from "vitest/config"

const report = process.env["TEST_REPORT"]

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    coverage: { include: ["src/**", "adapters/**"] },
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    // Each has an order: with one worker, as on two cores, Vitest runs those without one last.
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          sequence: { groupOrder: 1 },
          include: ["test/**/*.test.ts"],
          exclude: ["test/package/**", "test/reliability/**", "test/tables/**"],
        },
      },
      {
        // Real processes that are killed, starved and lied to: after the others, which would slow them down.
        extends: true,
        test: { name: "reliability", include: ["test/reliability/**/*.test.ts"], sequence: { groupOrder: 2 } },
      },
      {
        // Documents that say what the others found.
        extends: true,
        test: { name: "tables", include: ["test/tables/**/*.test.ts"], sequence: { groupOrder: 3 } },
      },
      {
        // The package as users get it: built and packed once, before these tests and only for them.
        extends: true,
        test: {
          name: "package",
          sequence: { groupOrder: 1 },
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/package/pack.ts"],
        },
      },
    ],
  },
})
