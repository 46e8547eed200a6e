/*
 * The yardstick of reading: Express 5 and http-proxy-middleware, which pass a request on and look at nothing. Prints
 * its port.
 */
import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

const [target = ''] = process.argv.slice(2);
const app = express();
app.get('/cpu', (_req, res) => {
  res.json(process.cpuUsage());
});
app.use(createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }), changeOrigin: true }));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
server.keepAliveTimeout = 60_000;
