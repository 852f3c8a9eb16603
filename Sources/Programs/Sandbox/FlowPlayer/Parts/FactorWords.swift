import JSON
internal import Text

// Effects and conditions of AM's nodes for second factors.
extension FlowEffects {
  static let factors = [
    object(
      "beginEnrolment",
      [],
      optional: ["factors", "issuer", "oath", "algorithm", "digits", "policies", "image"],
      variables: ["address", "script"]
    ) { play, values throws(ErrorResponse) in try play.beginEnrolment(values) },
    text("endEnrolment", isTrue: true) { play, _ throws(ErrorResponse) in
      let (tenant, user) = (play.tenant, try play.signedOnUser().id)
      guard let enrolment = play.enrolment else { throw .unexpected }
      for factor in enrolment.factors(of: user, in: play.realm, tenant: tenant) {
        // A user has at most one factor of each kind.
        for old in tenant.factors(of: user, factor.kind, in: play.realm) { tenant.factors[old.id] = nil }
        tenant.factors.put(factor)
      }
      play.enrolment = nil
    },
    object("sendMessage", [], optional: ["type", "text"], variables: ["number"]) {
      play,
      values throws(ErrorResponse) in
      guard let kind = PushKind(rawValue: values["type"] ?? PushKind.plain.rawValue) else {
        throw .unexpected
      }
      let user = try play.signedOnUser()
      let record = try play.tenant.sendMessage(kind, values["text"], to: user, in: play.realm)
      play.pushRecord = record.id
      if let variable = values["number"] {
        play.variables[variable] = record.number.map { .string("\($0)") } ?? ""
      }
    },
  ]
}

extension FlowConditions {
  static let factors = [
    oneOf("message", of: SentMessage.State.self, "a message") { play in
      play.pushRecord.flatMap { play.tenant.pushRecords[$0] }.map { play.tenant.state(of: $0) }
    },
    text("hasFactor") { play, name in
      guard let user = play.user, let kind = AMFactor.Kind(rawValue: name) else { return false }
      return !play.tenant.factors(of: user, kind, in: play.realm).isEmpty
    },
    text("oathRight") { play, passcode in play.acceptsOATH(passcode) },
  ]
}

extension FlowPlay {
  var realm: String { parameters["realm"] ?? "root" }

  /// Creates the secrets of the factors to enrol, and their URI for a hidden value and a QR code.
  fileprivate func beginEnrolment(_ values: FlowValues) throws(ErrorResponse) {
    let user = try signedOnUser()
    guard let factors = Enrolment.Factors(rawValue: values["factors"] ?? "push"),
      let kind = OATHFactor.Kind(rawValue: values["oath"] ?? "TOTP"),
      let algorithm = OATHFactor.Algorithm(rawValue: values["algorithm"] ?? "SHA1"),
      let digits = Int(values["digits"] ?? "6"), [6, 8].contains(digits)
    else { throw .unexpected }
    let record = factors == .oath ? nil : try tenant.expectMessage(.register, try randomSecret(32), in: realm)
    var oath: OATHFactor?
    if factors != .push {
      let secret = try randomSecret(OATHFactor.byteCount)
      oath = OATHFactor(kind: kind, secret: secret, algorithm: algorithm, digits: digits)
    }
    let enrolment = Enrolment(record: record, oath: oath)
    let below = realm == "root" ? "" : "/\(realm)"
    let address = enrolment.address(
      of: user,
      issuer: values["issuer"] ?? Enrolment.defaultIssuer,
      image: values["image"] ?? "",
      policies: values["policies"],
      resource: "\(tenant.url)/am/json\(below)/\(PushMessageRoutes.path)"
    )
    self.enrolment = enrolment
    pushRecord = record?.id
    if let variable = values["address"] { variables[variable] = .string(address) }
    if let variable = values["script"] { variables[variable] = .string(Self.script(drawing: address)) }
  }

  /// Returns the script with which AM's page draws a QR code.
  ///
  /// Special characters are escaped as in JavaScript.
  private static func script(drawing text: String) -> String {
    let escaped = text.utf8.map { byte in
      let isPlain = byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_")
      return isPlain ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16).uppercased()
    }.joined()
    return "window.QRCodeReader.createCode({\n    id: 'callback_0',\n    text: '\(escaped)',\n"
      + "    version: '20',\n    code: 'L'\n});"
  }

  fileprivate func acceptsOATH(_ passcode: String) -> Bool {
    guard var factor = user.flatMap({ tenant.factors(of: $0, .oath, in: realm).first }),
      (try? factor.oath?.accept(passcode, at: tenant.clock.passcodeTime)) == true
    else { return false }
    factor.usedAt = tenant.clock.now
    tenant.factors.put(factor)
    return true
  }
}
