import JSON
import TestHTTP
import Testing

@Suite("management and controls", .timeLimit(.minutes(30)))
struct ManagementTests {
  @Test("the environment has a licence, and mfaEnabled has no other member")
  func shapes() async throws {
    try await Bench.run { bench in
      let environment = try await bench.send("GET", "/v1/environments/ENV")
      #expect(environment.body["license"]?["id"]?.string != nil)
      let path = "/v1/environments/ENV/users/\(try bench.user("ann").id)/mfaEnabled"
      let enabled = try await bench.send("GET", path)
      #expect(enabled.body.object?.names == ["_links", "mfaEnabled"])
    }
  }

  @Test("management requires the administrator's token")
  func authorization() async throws {
    try await Bench.run { bench in
      for (method, path) in [
        ("GET", "/v1/environments/ENV"), ("GET", "/v1/environments/ENV/users"),
        ("POST", "/ENV/deviceAuthentications"), ("POST", "/ENV/authenticationCodes"),
        ("GET", "/sandbox/clock"), ("POST", "/sandbox/clock"), ("GET", "/sandbox/faults"),
        ("POST", "/sandbox/faults"), ("DELETE", "/sandbox/faults"), ("POST", "/sandbox/console"),
        ("GET", "/sandbox/devices"), ("GET", "/sandbox/logs"), ("DELETE", "/sandbox/devices/x"),
        ("GET", "/sandbox/transport"),
        ("PUT", "/sandbox/transport"), ("GET", "/sandbox/settings"), ("PATCH", "/sandbox/settings"),
      ] {
        let refused = try await bench.send(
          method,
          path,
          ["PATCH", "POST", "PUT"].contains(method) ? [:] : nil,
          token: "wrong"
        )
        #expect(refused.status == 401)
        #expect(refused.code == "INVALID_TOKEN")
        #expect(refused.headers.first { $0.name == "www-authenticate" }?.value == "Bearer")
      }
    }
  }

  @Test(
    "a resource has the HAL media type unless the client accepts only plain JSON",
    arguments: [
      (nil, "application/hal+json"), ("*/*", "application/hal+json"),
      ("application/json", "application/json"), ("text/html, Application/JSON;q=0.9", "application/json"),
      ("application/json, application/hal+json", "application/hal+json"),
      ("application/jsonx", "application/hal+json"),
    ] as [(String?, String)]
  )
  func mediaType(accept: String?, type: String) async throws {
    try await Bench.run { bench in
      let headers = [("Authorization", "Bearer \(bench.token)")] + (accept.map { [("Accept", $0)] } ?? [])
      let answer = try await TestHTTPClient.send(
        "GET",
        "/v1/environments/\(bench.environment)/users",
        port: bench.port,
        headers: headers,
        body: []
      )
      #expect(answer.headers.filter { $0.name == "content-type" }.map(\.value) == [type])
      #expect(answer.headers.contains { $0.name == "cache-control" })
    }
  }

  @Test("only the sandbox's environment exists")
  func environment() async throws {
    try await Bench.run { bench in
      let read = try await bench.send("GET", "/v1/environments/ENV")
      #expect(read.body["id"]?.string == bench.environment)
      let other = try await bench.send("GET", "/v1/environments/x/users")
      #expect(other.status == 404)
    }
  }

  @Test("users are created, found, listed and deleted")
  func users() async throws {
    try await Bench.run { bench in
      let body: JSON = ["username": "Eve", "email": "eve@example.com", "name": ["given": "Eve"]]
      let created = try await bench.send("POST", "/v1/environments/ENV/users", body)
      #expect(created.status == 201)
      #expect(created.body["mfaEnabled"]?.bool == false)
      let again = try await bench.send("POST", "/v1/environments/ENV/users", ["username": "eve"])
      #expect(again.detail == "UNIQUENESS_VIOLATION")
      let found = try await bench.send("GET", "/v1/environments/ENV/users?filter=username%20eq%20%22eve%22")
      #expect(found.body["_embedded"]?["users"]?.array?.count == 1)
      let page = try await bench.send("GET", "/v1/environments/ENV/users?limit=2")
      #expect(page.body["size"] == 2)
      #expect(page.body["count"] == 3)
      let limit = try await bench.send("GET", "/v1/environments/ENV/users?limit=0")
      #expect(limit.status == 400)
      let path = "/v1/environments/ENV/users/\(try #require(created.body["id"]?.string))"
      let read = try await bench.send("GET", path)
      #expect(read.body == created.body)
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
      let gone = try await bench.send("GET", path)
      #expect(gone.status == 404)
    }
  }

  @Test("a user has at most twenty valid pairing keys")
  func pairingKeyLimit() async throws {
    try await Bench.run { bench in
      for _ in 0..<20 { _ = try await bench.pairingKey(for: "ann") }
      let path = "/v1/environments/ENV/users/\(try bench.user("ann").id)/pairingKeys"
      let refused = try await bench.send("POST", path)
      #expect(refused.status == 400)
      #expect(refused.code == "LIMIT_EXCEEDED")
      try await bench.advance(seconds: 600)
      _ = try await bench.pairingKey(for: "ann")
    }
  }

  @Test(
    "a malformed request is rejected",
    arguments: [
      ("POST", "/v1/environments/ENV/users", "[]", "application/json", 400),
      ("POST", "/v1/environments/ENV/users", "{", "application/json", 400),
      ("POST", "/v1/environments/ENV/users", #"{"username":7}"#, "application/json", 400),
      ("POST", "/v1/environments/ENV/users", "{}", "application/json", 400),
      ("POST", "/v1/environments/ENV/users", "{}", "text/plain", 415),
      ("PATCH", "/v1/environments/ENV/users", "{}", "application/json", 405),
      ("GET", "/v1/environments/ENV/users?x=%zz", "", "application/json", 400),
      ("GET", "/v2", "", "application/json", 404),
      ("POST", "/sandbox/clock", #"{"advance":-1}"#, "application/json", 400),
      ("POST", "/sandbox/clock", #"{"advance":99999999999999999999}"#, "application/json", 400),
      ("POST", "/sandbox/faults", #"{"path":"/"}"#, "application/json", 400),
    ]
  )
  func malformed(_ request: (String, String, String, String, Int)) async throws {
    try await Bench.run { bench in
      let (method, path, body, type, status) = request
      let parts = path.split(separator: "ENV", omittingEmptySubsequences: false)
      let answer = try await TestHTTPClient.send(
        method,
        parts.joined(separator: bench.environment),
        port: bench.port,
        headers: [("Authorization", "Bearer \(bench.token)"), ("Content-Type", type)],
        body: Array(body.utf8)
      )
      #expect(answer.status == status)
    }
  }

  @Test("a fault occurs as often as requested, and only at its path")
  func faults() async throws {
    try await Bench.run { bench in
      let path = "/device/v1/platform-keys"
      func fault(_ effect: JSONObject) async throws -> TestHTTPAnswer {
        var body = effect
        body["path"] = .string(path)
        let added = try await bench.send("POST", "/sandbox/faults", .object(body))
        #expect(added.status == 201)
        return try await TestHTTPClient.send("GET", path, port: bench.port)
      }
      let error = try await fault(["status": 503, "count": 2])
      #expect(error.status == 503)
      let elsewhere = try await bench.send("GET", "/v1/environments/ENV")
      #expect(elsewhere.status == 200)
      let second = try await TestHTTPClient.send("GET", path, port: bench.port)
      #expect(second.status == 503)
      let dropped = try await fault(["dropConnection": true])
      #expect(dropped.raw.isEmpty)
      let garbage = try await fault(["garbage": true])
      #expect(garbage.status == 200)
      #expect((try? JSON(parsing: garbage.body)) == nil)
      let bytes = try await fault(["garbage": "connection"])
      #expect(bytes.status == 0 && !bytes.raw.isEmpty)
      let late = try await fault(["delayMs": 20])
      #expect(late.status == 200)
      let after = try await TestHTTPClient.send("GET", path, port: bench.port)
      #expect(after.status == 200)
    }
  }
}
