import JSON

/// Which steps a user goes through to sign on.
struct SignOnPolicy: Stored, Codable {
  /// What is done with a user who has no device, where one is asked for.
  enum NoDeviceMode: String, CaseIterable, Codable {
    case block = "BLOCK"
    case bypass = "BYPASS"
  }

  /// The identifier is the policy's name, by which requests and ID tokens call it.
  let id: ID<SignOnPolicy>
  var steps: [String]
  var noDeviceMode = NoDeviceMode.block

  static let maximumCount = 100
  static let maximumSteps = 16

  static let singleFactor = SignOnPolicy(id: ID("Single_Factor"), steps: [SignOnStep.login.name])
  static let multiFactor = SignOnPolicy(
    id: ID("Multi_Factor"),
    steps: [SignOnStep.login.name, SignOnStep.mfa.name]
  )

  var json: JSON {
    [
      "name": .id(id), "steps": .strings(steps), "noDeviceMode": .choice(noDeviceMode),
    ]
  }

  /// Takes over what an update gives; what it leaves out stays as it is.
  mutating func update(from body: Members) throws(PingOneError) {
    noDeviceMode = try body.choice("noDeviceMode", of: NoDeviceMode.self) ?? noDeviceMode
    guard let value = body.value("steps") else { return }
    let given = (value.array ?? []).compactMap(\.string)
    let found = given.compactMap { SignOnStep.named($0) }
    guard !given.isEmpty, found.count == value.array?.count, found.count <= Self.maximumSteps else {
      let names = SignOnStep.all.map(\.name)
      throw body.invalid(
        "steps",
        "must be some of \(names.joined(separator: ", "))",
        innerError: ["allowedValues": .strings(names)]
      )
    }
    guard found.first?.identifiesUser ?? false else {
      throw body.invalid("steps", "must begin with one that tells who the user is")
    }
    steps = given
  }
}

extension Tenant {
  /// The policy that a request asks for: the first that it names, or the standard one if it names none.
  func signOnPolicy(for request: AuthorizationRequest) throws(PingOneError) -> SignOnPolicy {
    guard !request.acrValues.isEmpty else { return signOnPolicies.standard }
    let found = request.acrValues.lazy.compactMap { self.signOnPolicies[ID($0)] }.first
    guard let found else { throw .oauth("invalid_request", "the acr_values name nothing that can be played") }
    return found
  }
}
