import JSON

struct SignOnPolicy: Resource, Codable {
  /// What is done with a user who has no device, where one is asked for.
  enum NoDeviceMode: String, CaseIterable, Codable, Shown {
    case block = "BLOCK"
    case bypass = "BYPASS"
  }

  /// The identifier is the policy's name, by which requests and ID tokens call it.
  let id: ID<SignOnPolicy>
  var steps: [String]
  var noDeviceMode = NoDeviceMode.block

  static let maximumCount = 100
  /// The steps that tell who the user is, and the others.
  private static let identifying = ["LOGIN", "IDENTIFIER_FIRST", "EXTERNAL"]
  private static let others = ["MFA", "ASSERTION", "PROFILE", "AGREEMENT", "CONSENT"]

  static let singleFactor = SignOnPolicy(id: ID("Single_Factor"), steps: ["LOGIN"])
  static let multiFactor = SignOnPolicy(id: ID("Multi_Factor"), steps: ["LOGIN", "MFA"])

  private static let fields: [Field<SignOnPolicy>] = [
    Field("name", \.id), Field("steps", \.steps), Field("noDeviceMode", \.noDeviceMode, .choice),
  ]

  func json(in tenant: Tenant) -> JSON {
    let isStandard = id == tenant.signOnPolicies.standard.id
    return .object(Self.fields.json(of: self).adding(["default": .bool(isStandard)]))
  }

  mutating func update(from body: Members) throws(Refusal) {
    try Self.fields.update(&self, from: body)
    guard let value = body.value("steps") else { return }
    let (given, known) = ((value.array ?? []).map { $0.string ?? "" }, Self.identifying + Self.others)
    guard !given.isEmpty, given.count <= 16, given.allSatisfy({ known.contains($0) }) else {
      let message = "must be some of \(known.joined(separator: ", "))"
      throw .invalid(body.target("steps"), message, innerError: ["allowedValues": .strings(known)])
    }
    guard Self.identifying.contains(given[0]) else {
      throw body.invalid("steps", "must begin with one that tells who the user is")
    }
    steps = given
  }
}

extension Tenant {
  /// The policy that a request asks for: the first that it names, or the standard one if it names none.
  func signOnPolicy(for request: AuthorizationRequest) throws(Refusal) -> SignOnPolicy {
    guard !request.acrValues.isEmpty else { return signOnPolicies.standard }
    let found = request.acrValues.lazy.compactMap { self.signOnPolicies[ID($0)] }.first
    guard let found else { throw .badRequest("the acr_values name nothing that can be played") }
    return found
  }
}
