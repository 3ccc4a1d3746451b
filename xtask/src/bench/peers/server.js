// What somebody would write instead: JSON in, a constant out.
const http = require('http');
const answer = '"' + 'A'.repeat(Number(process.argv[2]) - 2) + '"';
const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(parts));
    response.statusCode = typeof asked.request === 'string' ? 200 : 400;
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
