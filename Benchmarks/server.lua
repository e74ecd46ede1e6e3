-- Batches of 50 events for wrk, each event under a fresh id, from installs drawn at random.
--   wrk … -s server.lua URL -- INSTALLS FINGERPRINTS RELEASE-DIGEST
local seed, counter = os.time() * 1000, 0
local threads = 0
local installs, fingerprints, release = 1000, 1, ""

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init(args)
   installs = tonumber(args[1]) or 1000
   fingerprints = tonumber(args[2]) or 1
   release = args[3] or string.rep("cd", 32)
   math.randomseed(seed + number * 7919)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
end

local names = { "check", "download", "verify", "activate", "ready" }

function request()
   local install = math.random(0, installs - 1)
   local fingerprint = string.format("%016x", 1 + install % fingerprints)
   fingerprint = fingerprint .. string.rep("ab", 24)
   local now = os.time()
   local events = {}
   for index = 1, 50 do
      counter = counter + 1
      events[index] = string.format(
         '{"app_version":"2.4","at":%d.5,"bytes":397,"duration_ms":180,"fingerprint":"%s","id":'
            .. '"%08x-%04x-4%03x-8%03x-%06x%06x","is_delta":true,"name":"%s","os":"iOS 17.5",'
            .. '"reason":"update_stable","release":"%s","sdk":"0.1.0"}',
         now, fingerprint, math.random(0, 0x7fffffff), math.random(0, 0xffff),
         math.random(0, 0xfff), math.random(0, 0xfff), number * 0x10000 + math.random(0, 0xffff),
         counter % 0x1000000, names[1 + index % 5], release)
   end
   local body = string.format(
      '{"events":[%s],"install_id":"00000000-0000-4000-8000-%012x"}', table.concat(events, ","),
      install)
   return wrk.format("POST", nil, nil, body)
end

function done(summary, latency)
   io.write(string.format(
      "RESULT %d %.0f %.0f %d\n", summary.requests, summary.duration, latency:percentile(99),
      summary.errors.status + summary.errors.connect + summary.errors.read
         + summary.errors.write + summary.errors.timeout))
end
