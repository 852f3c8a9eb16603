import JOSE
import JSON
import Testing

@Suite("tokens", .timeLimit(.minutes(30)))
struct TokenTests {
  @Test("only offline_access gives a refresh token, which is exchanged for new tokens")
  func refresh() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let without = try await client.tokens(for: "ann", scope: "openid")
      #expect(without.body["refresh_token"] == nil)
      let first = try await client.tokens(for: "ann")
      let second = try await client.refresh(try first.text("refresh_token"))
      #expect(second.status == 200)
      #expect(second.body["refresh_token"]?.string != (try first.text("refresh_token")))
      #expect(second.body["scope"] == "openid profile offline_access")
      let info = try await client.userInfo(try second.text("access_token"))
      #expect(info.body["preferred_username"] == "ann")
      let old = try await client.userInfo(try first.text("access_token"))
      #expect(old.status == 200)
      let claims = try await client.verified(second)
      #expect(claims["nonce"] == nil)
      #expect(claims["sub"]?.string == (try bench.user("ann").id))
      let narrow = try await client.refresh(try second.text("refresh_token"), ["scope": "openid"])
      #expect(narrow.body["scope"] == "openid")
      let wide = try await client.refresh(try narrow.text("refresh_token"), ["scope": "openid email"])
      #expect(wide.body["error"] == "invalid_scope")
      let unknown = try await client.refresh("x")
      #expect(unknown.body["error"] == "invalid_grant")
    }
  }

  @Test("a reused refresh token revokes its family and no other")
  func reuse() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let other = try await client.tokens(for: "ann")
      let first = try await client.tokens(for: "ann")
      let second = try await client.refresh(try first.text("refresh_token"))
      let again = try await client.refresh(try first.text("refresh_token"))
      #expect(again.status == 400)
      #expect(again.body["error"] == "invalid_grant")
      for token in [try first.text("access_token"), try second.text("access_token")] {
        let refused = try await client.userInfo(token)
        #expect(refused.status == 401)
      }
      let newest = try await client.refresh(try second.text("refresh_token"))
      #expect(newest.body["error"] == "invalid_grant")
      let untouched = try await client.refresh(try other.text("refresh_token"))
      #expect(untouched.status == 200)
    }
  }

  @Test("without rotation a refresh returns no new refresh token, and the old one stays valid")
  func withoutRotation() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      try await bench.setOIDC(["refreshTokenRotation": false])
      let token = try await client.tokens(for: "ann").text("refresh_token")
      for _ in 0..<2 {
        let refreshed = try await client.refresh(token)
        #expect(refreshed.status == 200)
        #expect(refreshed.body["refresh_token"] == nil)
      }
    }
  }

  @Test("tokens expire")
  func expiry() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      try await bench.setOIDC(["accessTokenSeconds": 900, "refreshTokenSeconds": 3600])
      let tokens = try await client.tokens(for: "ann")
      #expect(tokens.body["expires_in"] == 900)
      let access = try tokens.text("access_token")
      try await bench.advance(seconds: 600)
      let good = try await client.userInfo(access)
      #expect(good.status == 200)
      try await bench.advance(seconds: 300)
      let over = try await client.userInfo(access)
      #expect(over.status == 401)
      #expect(over.header("www-authenticate")?.contains("invalid_token") == true)
      let inactive = try await client.present(access, to: "/as/introspect")
      #expect(inactive.body == ["active": false])
      try await bench.advance(seconds: 2700)
      let refresh = try await client.refresh(try tokens.text("refresh_token"))
      #expect(refresh.body["error"] == "invalid_grant")
      for bad: JSON in [["accessTokenSeconds": 0], ["refreshTokenRotation": 1], ["deviceInterval": 61]] {
        let refused = try await bench.send("PUT", "/sandbox/oidc", bad)
        #expect(refused.status == 400)
      }
    }
  }

  @Test("a revoked token is invalid, and a revoked refresh token revokes its family")
  func revocation() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let tokens = try await client.tokens(for: "ann")
      let (access, refresh) = (try tokens.text("access_token"), try tokens.text("refresh_token"))
      let active = try await client.present(access, to: "/as/introspect")
      #expect(active.body["active"]?.bool == true)
      #expect(active.body["username"] == "ann")
      #expect(active.body["client_id"]?.string == bench.clientID)
      let revoked = try await client.present(access, to: "/as/revoke")
      #expect(revoked.status == 200)
      let refused = try await client.userInfo(access)
      #expect(refused.status == 401)
      let stillActive = try await client.present(refresh, to: "/as/introspect")
      #expect(stillActive.body["active"]?.bool == true)
      let next = try await client.refresh(refresh)
      _ = try await client.present(try next.text("refresh_token"), to: "/as/revoke")
      let ended = try await client.refresh(try next.text("refresh_token"))
      #expect(ended.body["error"] == "invalid_grant")
      let gone = try await client.userInfo(try next.text("access_token"))
      #expect(gone.status == 401)
      let unknown = try await client.present("x", to: "/as/revoke")
      #expect(unknown.status == 200)
      let missing = try await client.form("/as/revoke", ["client_id": bench.clientID])
      #expect(missing.body["error"] == "invalid_request")
      let stranger = try await client.form("/as/revoke", ["client_id": "x", "token": "x"])
      #expect(stranger.status == 401)
    }
  }

  @Test("a reused code revokes the tokens of its first use")
  func replayedCode() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let code = try await client.code(for: "ann")
      let tokens = try await client.tokens(code)
      let again = try await client.tokens(code)
      #expect(again.body["error"] == "invalid_grant")
      let refused = try await client.userInfo(try tokens.text("access_token"))
      #expect(refused.status == 401)
    }
  }

  @Test("a sign-off ends the session and its tokens")
  func signOff() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      for path in ["/idp/signoff", "/as/signoff"] {
        let tokens = try await client.tokens(for: "ann")
        let hint = try tokens.text("id_token")
        let done = try await client.send("GET", "\(path)?id_token_hint=\(hint)")
        #expect(done.status == (path == "/idp/signoff" ? 204 : 200))
        #expect(done.header("set-cookie")?.contains("Max-Age=0") == true)
        let refused = try await client.userInfo(try tokens.text("access_token"))
        #expect(refused.status == 401)
        let refresh = try await client.refresh(try tokens.text("refresh_token"))
        #expect(refresh.body["error"] == "invalid_grant")
        let forged = try await client.send("GET", "\(path)?id_token_hint=\(hint.dropLast(8))AAAAAAAA")
        #expect(forged.status == 400)
      }
    }
  }

  @Test("a sign-off redirects only to a registered URI")
  func signOffRedirect() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let hint = try await client.tokens(for: "ann").text("id_token")
      let elsewhere = "post_logout_redirect_uri=https%3A%2F%2Fexample.com"
      let refused = try await client.send("GET", "/as/signoff?id_token_hint=\(hint)&\(elsewhere)")
      #expect(refused.status == 400)
      let home = "post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A7777%2Fcallback&state=s"
      let done = try await client.send("GET", "/as/signoff?id_token_hint=\(hint)&\(home)")
      #expect(try done.redirect() == ["state": "s"])
    }
  }

  @Test("a key rotation keeps or removes the old key")
  func keyRotation() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let tokens = try await client.tokens(for: "ann")
      let access = try tokens.text("access_token")
      let both = try await bench.send("POST", "/sandbox/oidc/keys", ["keepOld": true])
      #expect(both.status == 201)
      let listed = try await client.send("GET", "/as/jwks")
      #expect(listed.body == both.body)
      #expect(listed.body["keys"]?.array?.count == 2)
      _ = try await client.verified(tokens)
      let good = try await client.userInfo(access)
      #expect(good.status == 200)
      let one = try await bench.send("POST", "/sandbox/oidc/keys", [:])
      #expect(one.body["keys"]?.array?.count == 1)
      let refused = try await client.userInfo(access)
      #expect(refused.status == 401)
      _ = try await client.idToken(for: "ann")
      let anybody = try await bench.send("POST", "/sandbox/oidc/keys", [:], token: "x")
      #expect(anybody.status == 401)
    }
  }

  @Test("a repeated parameter is rejected, in a form and in a query")
  func repeatedParameters() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let type = "application/x-www-form-urlencoded"
      let body = "client_id=\(bench.clientID)&token=x&token=y"
      for path in ["/as/revoke", "/as/introspect", "/as/token", "/as/device_authorization"] {
        let refused = try await client.send("POST", path, type: type, body: body)
        #expect(refused.body["error"] == "invalid_request")
        let noForm = try await client.send("POST", path, type: "application/json", body: "{}")
        #expect(noForm.body["error"] == "invalid_request")
      }
      let query = try await client.send("GET", "/as/signoff?client_id=x&client_id=x")
      #expect(query.body["error"] == "invalid_request")
    }
  }
}
