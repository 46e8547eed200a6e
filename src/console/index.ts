export { makeConsoleRoutes } from './routes.ts';
