/* The yardstick of ingest: Express 5 with its JSON parser and nothing behind it. Prints its port. */
import express from 'express';

const app = express();
app.use(express.json({ limit: '5mb' }));
app.post('/hook', (_req, res) => {
  res.status(202).json({ id: 'x' });
});
app.get('/cpu', (_req, res) => {
  res.json(process.cpuUsage());
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
