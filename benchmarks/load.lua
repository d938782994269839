-- For wrk: asks what stands in the file named as argument, a request a line (method, path, body), one after
-- another and from the start again; ends with its figures as one line of JSON.

function init(arguments)
  local requests = {}
  for line in io.lines(arguments[1]) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    table.insert(requests, wrk.format(method, path, {["Content-Type"] = "application/json"}, body))
  end
  local last = 0
  request = function()
    last = last % #requests + 1
    return requests[last]
  end
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
