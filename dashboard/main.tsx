import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { router } from './routes.ts'
import { showMarks } from './visible-marks.ts'
import './styles/main.css'

const root = document.getElementById('root')
if (!root) throw new Error('The document has no element for the dashboard.')
showMarks()
// Finds out what to show, and asks for its data, before anything is built: the first picture is then the page itself.
void router.load().then(() =>
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  ),
)
