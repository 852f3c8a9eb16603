import JSON

/// Input of a value in a form of the console.
enum FormInput: Sendable {
  case box, number, text, span(TimeSpan.Names), choice([String])
  /// Several texts, separated by spaces.
  case list
  /// Any value, as JSON.
  case json
}

/// Reads a value of a request and checks its range; the value is `nil` if the member is absent or null.
struct Form<Value: Shown>: Sendable {
  fileprivate let input: FormInput
  fileprivate let read: @Sendable (Members, String) throws(ErrorResponse) -> Value?

  init(_ input: FormInput, read: @escaping @Sendable (Members, String) throws(ErrorResponse) -> Value?) {
    self.input = input
    self.read = read
  }
}

extension Form where Value == Bool {
  static var flag: Form { Form(.box) { members, name throws(ErrorResponse) in try members.bool(name) } }
}

extension Form where Value == Int {
  static func int(_ range: ClosedRange<Int>) -> Form {
    Form(.number) { members, name throws(ErrorResponse) in try members.int(name, in: range) }
  }
}

extension Form where Value == String {
  static func text(_ maximum: Int = 256) -> Form {
    Form(.text) { members, name throws(ErrorResponse) in try members.text(name, maximum: maximum) }
  }

  /// A non-empty text.
  static var name: Form {
    Form(.text) { members, name throws(ErrorResponse) in
      members.value(name) == nil ? nil : try members.requiredText(name, maximum: 256)
    }
  }
}

extension Form where Value == [String] {
  /// At most twenty valid texts; `message` is the error for other values.
  static func list(_ message: String, _ isValid: @escaping @Sendable (String) -> Bool) -> Form {
    Form(.list) { members, name throws(ErrorResponse) in
      guard let value = members.value(name) else { return nil }
      let texts = value.array?.compactMap(\.string) ?? []
      guard texts.count == value.array?.count, texts.count <= 20, texts.allSatisfy(isValid) else {
        throw members.invalid(name, message)
      }
      return texts
    }
  }
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
  static var choice: Form {
    Form(.choice(Value.allCases.map(\.rawValue))) { members, name throws(ErrorResponse) in
      try members.choice(name, of: Value.self)
    }
  }
}

extension Form where Value == TimeSpan {
  /// A duration in a range of seconds, in one of these units.
  static func span(_ seconds: ClosedRange<Int>, _ units: TimeSpan.Unit..., names: TimeSpan.Names = .duration)
    -> Form
  {
    Form(.span(names)) { members, name throws(ErrorResponse) in
      try members.timeSpan(name, seconds, units, names)
    }
  }
}

/// One member of a resource: its path in the JSON, its value and, unless it is read-only, its effect in an
/// update.
struct ResourceField<Owner>: Sendable {
  /// Names of the enclosing objects and the member: `push.numberMatching.enabled` without dots.
  fileprivate let path: [String]
  /// Input of the member in a form, `nil` if the member is read-only.
  fileprivate let input: FormInput?
  private let show: @Sendable (Owner) -> JSON?
  private let take: @Sendable (inout Owner, Members, String) throws(ErrorResponse) -> Void

  init<Value: Shown>(_ path: String, _ value: any KeyPath<Owner, Value> & Sendable) {
    self.path = path.split(separator: ".").map { String($0) }
    input = nil
    show = { $0[keyPath: value].json }
    take = { _, _, _ in }
  }

  /// A setting that always has a value; an absent or null member leaves it unchanged.
  init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value> & Sendable,
    _ form: Form<Value>
  ) {
    self.path = path.split(separator: ".").map { String($0) }
    input = form.input
    show = { $0[keyPath: value].json }
    take = { owner, members, name throws(ErrorResponse) in
      owner[keyPath: value] = try form.read(members, name) ?? owner[keyPath: value]
    }
  }

  /// A member that may have no value.
  ///
  /// Null removes it. Without a form it is read-only.
  init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value?> & Sendable,
    _ form: Form<Value>? = nil
  ) {
    self.path = path.split(separator: ".").map { String($0) }
    input = form?.input
    show = { $0[keyPath: value]?.json }
    take = { owner, members, name throws(ErrorResponse) in
      if let form, members.object[name] != nil { owner[keyPath: value] = try form.read(members, name) }
    }
  }
}

extension ResourceField {
  /// Inserts the member into an object at its path.
  fileprivate func show(_ owner: Owner, in object: inout JSONObject) {
    guard let value = show(owner) else { return }
    object = object.putting(value, at: path)
  }

  fileprivate func take(from members: Members, to owner: inout Owner) throws(ErrorResponse) {
    var members = members
    for name in path.dropLast() {
      guard let inner = try members.members(name) else { return }
      members = inner
    }
    try take(&owner, members, path.last ?? "")
  }
}

extension JSONObject {
  /// Returns the object with a value at a path of names.
  func putting(_ value: JSON, at path: some Collection<String>) -> JSONObject {
    guard let name = path.first else { return self }
    let rest = path.dropFirst()
    let inner = self[name]?.object ?? [:]
    return adding([name: rest.isEmpty ? value : .object(inner.putting(value, at: Array(rest)))])
  }
}

extension Array {
  /// Returns the members of a resource.
  func json<Owner>(of owner: Owner) -> JSONObject where Element == ResourceField<Owner> {
    var object: JSONObject = [:]
    for field in self { field.show(owner, in: &object) }
    return object
  }

  /// Returns the members that an update can change.
  func inputs<Owner>() -> [(path: [String], input: FormInput)] where Element == ResourceField<Owner> {
    compactMap { field in field.input.map { (field.path, $0) } }
  }

  /// Applies an update; omitted members stay unchanged.
  func update<Owner>(_ owner: inout Owner, from members: Members) throws(ErrorResponse)
  where Element == ResourceField<Owner> { for field in self { try field.take(from: members, to: &owner) } }
}
