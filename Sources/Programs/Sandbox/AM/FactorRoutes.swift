import EventLoop
import HTTPServer
import JSON

/// AM's `users/{user}/devices/2fa/{kind}`, for the user of the session.
@EventLoop
enum FactorRoutes {
  private static let bases = ["/am/json/realms/root/realms/{realm}", "/am/json/realms/{realm}"]

  static let routes: [Route<Endpoint>] = bases.flatMap { base -> [Route<Endpoint>] in
    let all = "\(base)/users/{user}/devices/2fa/{kind}"
    return [
      .anyone("GET", all, list), .anyone("PUT", "\(all)/{factor}", rename),
      .anyone("DELETE", "\(all)/{factor}", delete), .anyone("POST", all, act),
    ]
  }

  private static func list(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let factors = try factors(of: call)
    guard call.query("_queryFilter") == "true" else { throw .am(400, "The query is not supported") }
    return .plain([
      "result": factors.map(\.json), "resultCount": factors.count, "pagedResultsCookie": JSON.null,
      "totalPagedResultsPolicy": "NONE", "totalPagedResults": -1, "remainingPagedResults": -1,
    ])
  }

  private static func rename(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var factor = try factor(of: call)
    guard let match = call.request.headers["if-match"], match == "*" || match == factor.revision else {
      throw .am(412, "The resource could not be accessed at the version requested")
    }
    guard let body = try? JSON(parsing: call.request.body), let name = body["deviceName"]?.string,
      (1...256).contains(name.utf8.count)
    else { throw .am(400, "Bad Request") }
    factor.name = name
    call.tenant.factors.put(factor)
    return .plain(200, factor.json)
  }

  private static func delete(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let factor = try factor(of: call)
    call.tenant.factors[factor.id] = nil
    return .plain(200, factor.json)
  }

  /// Reads or sets whether the user skips factors of this kind; journeys of the sandbox ignore the setting.
  private static func act(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let kind = "\(call.realm ?? "")/\(call.parameters["user"] ?? "")/\(call.parameters["kind"] ?? "")"
    _ = try factors(of: call)
    switch (call.query("_action"), (try? JSON(parsing: call.request.body))?["value"]?.bool) {
    case ("check", _): return .plain(200, ["result": .bool(call.tenant.skippedFactors.contains(kind))])
    case ("skip", true?): call.tenant.skippedFactors.insert(kind)
    case ("skip", false?): call.tenant.skippedFactors.remove(kind)
    default: throw .am(400, "The action is not supported")
    }
    return .plain(200, [:])
  }

  private static func factor(of call: Call) throws(ErrorResponse) -> AMFactor {
    let found = try factors(of: call).first { $0.id.text == call.parameters["factor"] }
    guard let found else { throw .am(404, "Not Found") }
    return found
  }

  /// Returns the factors of the session's user; the path must name the same user, by name or by identifier.
  private static func factors(of call: Call) throws(ErrorResponse) -> [AMFactor] {
    guard let realm = call.realm else { throw .am(404, "Realm not found") }
    guard let session = call.tenant.journeySession(of: call.request, realm: realm),
      let user = call.tenant.users[session.user]
    else { throw .am(401, "Access Denied") }
    guard let kind = AMFactor.Kind(rawValue: call.parameters["kind"] ?? "") else {
      throw .am(404, "Not Found")
    }
    guard [user.username, user.id.text].contains(call.parameters["user"] ?? "") else {
      throw .am(403, "Forbidden")
    }
    return call.tenant.factors(of: user.id, kind, in: realm)
  }
}
