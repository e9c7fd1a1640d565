// How the page is built: into ../dist, with names that follow from the content alone, so that a fresh build can be compared.
import { defineConfig } from 'vite';

const server = process.env['PREMATH_SERVE'] ?? 'http://127.0.0.1:7423';

export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: Object.fromEntries(['/api', '/healthz', '/metrics', '/openapi.json'].map((path) => [path, server])) },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
} as Parameters<typeof defineConfig>[0]);
