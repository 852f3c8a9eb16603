internal import JSON
internal import Text

/// A record of an authenticator library; its kind is detected by the members that only this kind has.
struct AMStoredRecord {
  enum Kind {
    /// Older libraries: an account, and its authentication methods.
    case account, mechanism
    /// Newer libraries: credentials that include the data of their account.
    case oathCredential, pushCredential
    /// Older and newer libraries: a received push, or the device token for pushes.
    case aside
  }

  let json: JSON
  let kind: Kind?

  init(_ json: JSON) {
    self.json = json
    func has(_ name: String) -> Bool { json[name] != nil }
    kind =
      if has("type"), has("mechanismUID") || has("secret") {
        .mechanism
      } else if has("sharedSecret") || has("serverEndpoint") {
        .pushCredential
      } else if has("oathType") {
        .oathCredential
      } else if has("messageId") && (has("mechanismUID") || has("credentialId")) {
        .aside
      } else if has("secret") {
        nil
      } else if has("issuer") || has("accountName") {
        .account
      } else if has("tokenId") || (has("token") && has("createdAt")) {
        .aside
      } else {
        nil
      }
  }

  /// True if the record has features of a credential that no other format has.
  var isMarked: Bool {
    json["accountName"] != nil
      && (json["mechanismUID"] != nil || [.oathCredential, .pushCredential].contains(kind))
  }

  /// Returns the credential of a mechanism; its policies and lock are members of the account.
  func mechanism(with account: JSON?) throws(OATHError) -> ExportedCredential {
    try Self.checkOpen(account?["lock"])
    switch try EntryDraft.text(json["type"], "type") {
    case "otpauth": return try oath(algorithm: json["algorithm"], policies: account?["policies"])
    case "pushauth":
      let endpoint = try EntryDraft.text(json["authenticationEndpoint"], "authenticationEndpoint")
      return try push(
        mechanism: json["mechanismUID"],
        secret: json["secret"],
        endpoint: endpoint.map { .string($0) } ?? json["registrationEndpoint"],
        user: json["uid"],
        policies: account?["policies"]
      )
    case nil: throw .missing("type")
    case .some: throw .unsupported("type", allowed: "otpauth or pushauth")
    }
  }

  func oathCredential() throws(OATHError) -> ExportedCredential {
    try Self.checkOpen(json["isLocked"])
    return try oath(algorithm: json["oathAlgorithm"], policies: json["policies"])
  }

  func pushCredential() throws(OATHError) -> ExportedCredential {
    try Self.checkOpen(json["isLocked"])
    return try push(
      mechanism: json["id"],
      secret: json["sharedSecret"],
      endpoint: json["serverEndpoint"],
      user: json["userId"],
      policies: json["policies"]
    )
  }

  private func oath(algorithm: JSON?, policies: JSON?) throws(OATHError) -> ExportedCredential {
    let draft = EntryDraft(
      type: json["oathType"],
      secret: json["secret"],
      algorithm: algorithm,
      digits: json["digits"],
      period: json["period"],
      counter: json["counter"],
      issuer: json["issuer"],
      label: json["accountName"],
      resource: try resource(beside: json["mechanismUID"] ?? json["id"]),
      policies: policies
    )
    return .oath(try draft.record())
  }

  private func push(
    mechanism: JSON?,
    secret: JSON?,
    endpoint: JSON?,
    user: JSON?,
    policies: JSON?
  ) throws(OATHError) -> ExportedCredential {
    guard [nil, "PING_AM", "pingam"].contains(try EntryDraft.text(json["platform"], "platform")) else {
      throw .unsupported("platform", allowed: "PING_AM")
    }
    guard let id = try EntryDraft.text(mechanism, "mechanism") else { throw .missing("mechanism") }
    guard let secret = try EntryDraft.text(secret, "secret") else { throw .missing("secret") }
    guard let endpoint = try EntryDraft.text(endpoint, "endpoint") else { throw .missing("endpoint") }
    let (issuer, label) = AccountNames(
      issuer: try EntryDraft.text(json["issuer"], "issuer"),
      label: try EntryDraft.text(json["accountName"], "accountName")
    ).complete
    return .push(
      PushRecord(
        mechanism: id,
        secret: secret,
        endpoint: endpoint,
        user: try EntryDraft.text(user, "user"),
        resource: try resource(beside: mechanism),
        policies: try EntryDraft.text(policies, "policies"),
        issuer: issuer,
        label: label
      )
    )
  }

  /// Returns the server's id of the device; the libraries substitute their own id if the server sent none.
  private func resource(beside own: JSON?) throws(OATHError) -> String? {
    guard let resource = try EntryDraft.text(json["resourceId"], "resourceId"), resource != own?.string,
      resource.isIdentifier
    else { return nil }
    return resource
  }

  /// Throws an error for a locked account; an import must not unlock it.
  private static func checkOpen(_ lock: JSON?) throws(OATHError) {
    guard let lock, !lock.isNull else { return }
    guard let isLocked = lock.bool else { throw .invalid("lock") }
    if isLocked { throw .locked }
  }
}
