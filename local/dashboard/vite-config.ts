import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

export const projectRoot = resolve(import.meta.dirname, '../..')
export const dashboardRoot = resolve(projectRoot, 'dashboard')

/** The settings that the build and the development server share. */
export const viteConfig: InlineConfig = {
  configFile: false,
  root: dashboardRoot,
  cacheDir: resolve(projectRoot, 'node_modules/.cache/assay/vite'),
  publicDir: false,
  logLevel: 'warn',
  plugins: [react()],
}
