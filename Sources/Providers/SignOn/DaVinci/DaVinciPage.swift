internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Text
internal import WebAddress

/// A page of a DaVinci flow that requires an answer.
struct DaVinciPage: Sendable {
  /// The part of a page that replies and polls need.
  struct Target: Sendable {
    /// The server's identifier of the page in replies.
    let id: String?
    /// Event name that replies must contain.
    let eventName: String
    let next: WebURL
    /// Base URL of challenge status requests; the challenge is appended to it.
    let challenges: WebURL?
  }

  let target: Target
  /// URL at which a sign-on with another provider continues.
  let resume: WebURL?
  /// The fields that the page shows or lets the user fill in, in form order.
  private let fields: [FieldForm]
  /// True if the page has parts that only a browser can show.
  private let isPartial: Bool

  private let title: String?
  private let about: String?

  private static let longestKey = 256
  private static let longestMadeUpKey = 40
  private static let longestName = 256

  /// Reads a page; throws if it is invalid, links to another origin, or has too many fields.
  init(_ json: JSON, origin: Origin, allowsLoopbackHTTP: Bool = false) throws(SignOnFailure) {
    let links = json["_links"]
    guard let next = try Self.link(links?["next"], origin) else { throw .malformed }
    resume = try Self.link(links?["continue"], origin)
    target = Target(
      id: try Self.name(json["id"]),
      eventName: try Self.name(json["eventName"]) ?? "continue",
      next: next,
      challenges: Self.challenges(try Self.link(links?["self"], origin) ?? next)
    )
    let form = json["form"]
    title = (form?["name"] ?? json["nodeTitle"])?.string.flatMap { DisplayText.trimmed($0) }
    about = (form?["description"] ?? json["nodeDescription"])?.string
      .flatMap { DisplayText.trimmed($0, maximum: DisplayText.bodyLength) }
    fields = try Self.fields(json, allowsLoopbackHTTP: allowsLoopbackHTTP)
    try fields.compactMap(\.collector).requireFewOptions()
    isPartial = json["isResponseCompatibleWithMobileAndWebSdks"] == false
    // A pairing action needs a unique key, so that the choice of another action cannot pair this machine.
    guard Self.pairsUnambiguously(fields) else { throw .malformed }
    guard fields.contains(where: { $0.collector != nil || !$0.actions.isEmpty }) else {
      throw .unsupported("this page of the sign-on needs a browser")
    }
  }

  /// True if no other action has the key of a pairing action.
  private static func pairsUnambiguously(_ fields: [FieldForm]) -> Bool {
    let counts = Dictionary(fields.flatMap(\.actions).map { ($0.action.key, 1) }, uniquingKeysWith: +)
    return fields.filter(\.isPairing).flatMap(\.actions).allSatisfy {
      counts[$0.action.key] == 1
    }
  }

  private static func link(_ json: JSON?, _ origin: Origin) throws(SignOnFailure) -> WebURL? {
    guard let text = json?["href"]?.string else { return nil }
    guard let url = WebURL(text), url.origin == origin else { throw .foreignLink }
    return url
  }

  private static func name(_ json: JSON?) throws(SignOnFailure) -> String? {
    guard let text = json?.string else { return nil }
    guard text.utf8.count <= longestName else { throw .malformed }
    return text
  }

  /// Returns the base URL of challenge requests; it replaces a URL's part from `/davinci/connections` on.
  private static func challenges(_ url: WebURL) -> WebURL? {
    guard let base = url.text[...].parted(by: "/davinci/connections")?.before else { return nil }
    return WebURL(base + "/davinci/user/credentials/challenge")
  }

  private static func fields(_ json: JSON, allowsLoopbackHTTP: Bool) throws(SignOnFailure) -> [FieldForm] {
    let list = json["form"]?["components"]?["fields"]?.array ?? []
    guard list.count <= SignOnPage.maximumFields else { throw .tooLarge }
    let values = json["formData"]?["value"]
    var fields: [FieldForm] = []
    var budget = PageBudget()
    let passwordPolicy = json["passwordPolicy"]
    for (index, json) in list.enumerated() where json.object != nil {
      let given = json["key"]?.string.flatMap { (1...longestKey).contains($0.utf8.count) ? $0 : nil }
      let type = DisplayText.clean(json["type"]?.string ?? "field", maximum: longestMadeUpKey)
      let field = DaVinciField(
        json: json,
        key: given ?? "\(type)-\(index)",
        hasKey: given != nil,
        initial: given.flatMap { values?[$0]?.bounded },
        richText: try RichText.text(of: json, &budget),
        passwordPolicy: passwordPolicy,
        allowsLoopbackHTTP: allowsLoopbackHTTP
      )
      fields.append(FieldTable.form(of: field))
    }
    return fields
  }

  /// The page's polling, if it polls.
  var polling: DaVinciPolling? { fields.lazy.compactMap(\.polling).first }

  /// The fields that the user fills in.
  var inputFields: [FieldForm] { fields.filter { $0.input != nil } }

  /// All actions, in form order.
  var actions: [FieldAction] { fields.flatMap(\.actions) }

  /// The page as shown to users.
  var shown: SignOnPage {
    var page = SignOnPage()
    (page.title, page.description) = (title, about)
    page.collectors = fields.compactMap(\.collector)
    page.actions = actions.map(\.action)
    if isPartial { page.message = "some parts of this page need a browser and are not shown" }
    return page
  }

  /// Returns the page with the errors of a wrong answer.
  func shown(_ problem: DaVinciProblem) -> SignOnPage {
    var page = shown
    var message = problem.message
    for (target, text) in problem.fields {
      if let index = problem.index(of: target, in: page.collectors) {
        page.collectors[index].message = text
      } else {
        message += "; \(text)"
      }
    }
    page.message = DisplayText.clean(message, maximum: DisplayText.bodyLength)
    return page
  }
}

extension DaVinciPage {
  /// Returns the action key of an answered field; it is sent if the user pressed no button.
  func actionKey(of values: JSONObject) -> String? {
    fields.lazy.filter { values[$0.field.key] != nil }.compactMap(\.input?.actionKey).first
  }

  /// True if the page requests only a security key that a browser would use without a user action.
  var onlyAsksForSecurityKey: Bool {
    actions.count == 1 && inputFields.isEmpty && fields.contains(where: \.isAutomaticKey)
  }

  /// The URL for the browser, if a sign-on with another provider is the only choice on the page.
  var onlyProvider: String? {
    guard actions.count == 1, inputFields.isEmpty else { return nil }
    return fields.lazy.compactMap(\.provider).first
  }
}

extension DaVinciPage {
  /// Returns the values of a submitted form; throws if a required value is missing or a value is invalid.
  func formData(_ values: JSONObject) throws -> JSONObject { try formData(values, isWhole: true) }

  /// Returns the values of a form that the user leaves: values may be missing, but not invalid.
  func partialFormData(_ values: JSONObject) throws -> JSONObject { try formData(values, isWhole: false) }

  /// Throws if the caller gave a value that the page does not request.
  func check(_ values: JSONObject) throws {
    let keys = Set(inputFields.map(\.field.key))
    guard values.names.allSatisfy(keys.contains) else { throw RPCError.invalidParameter("values") }
  }

  private func formData(_ values: JSONObject, isWhole: Bool) throws -> JSONObject {
    try check(values)
    var data = JSONObject()
    var wrong: [(field: DaVinciField, InvalidInput)] = []
    for form in fields {
      guard let input = form.input else { continue }
      let field = form.field
      do throws(InvalidInput) {
        let value = try (values[field.key] ?? input.standing).map(input.value) ?? nil
        if isWhole, field.isRequired, let complaint = input.complaint(value) { throw complaint }
        data[field.key] = value
      } catch {
        if isWhole || values[field.key] != nil { wrong.append((field, error)) }
      }
    }
    guard wrong.isEmpty else { throw DaVinciProblem(wrong) }
    return data
  }
}
