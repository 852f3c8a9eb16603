import JSON

/// How a value of a request is read, with the range that it may have; `nil` if it is absent or null.
struct Form<Value: Shown>: Sendable { let read: @Sendable (Members, String) throws(Refusal) -> Value? }

extension Form where Value == Bool {
  static var flag: Form { Form { members, name throws(Refusal) in try members.bool(name) } }
}

extension Form where Value == Int {
  static func int(_ range: ClosedRange<Int>) -> Form {
    Form { members, name throws(Refusal) in try members.int(name, in: range) }
  }
}

extension Form where Value == String {
  static func text(_ maximum: Int = 256) -> Form {
    Form { members, name throws(Refusal) in try members.text(name, maximum: maximum) }
  }
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
  static var choice: Form {
    Form { members, name throws(Refusal) in try members.choice(name, of: Value.self) }
  }
}

extension Form where Value == TimeSpan {
  /// A duration of so many seconds, in one of these units.
  static func span(_ seconds: ClosedRange<Int>, _ units: TimeSpan.Unit..., names: TimeSpan.Names = .duration)
    -> Form
  { Form { members, name throws(Refusal) in try members.timeSpan(name, seconds, units, names) } }
}

/// One member of a resource: its place in the JSON, how it is shown and, unless it only is, what an update makes of it.
struct Field<Owner>: Sendable {
  /// The names of the member and of the objects that it is in, by dots: `push.numberMatching.enabled`.
  private let path: [String]
  private let show: @Sendable (Owner) -> JSON?
  private let take: @Sendable (inout Owner, Members, String) throws(Refusal) -> Void

  init<Value: Shown>(_ path: String, _ value: any KeyPath<Owner, Value> & Sendable) {
    self.path = path.split(separator: ".").map { String($0) }
    show = { $0[keyPath: value].json }
    take = { _, _, _ in }
  }

  /// A setting that always has a value: what is absent or null leaves it as it is.
  init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value> & Sendable,
    _ form: Form<Value>
  ) {
    self.path = path.split(separator: ".").map { String($0) }
    show = { $0[keyPath: value].json }
    take = { owner, members, name throws(Refusal) in
      owner[keyPath: value] = try form.read(members, name) ?? owner[keyPath: value]
    }
  }

  /// What may be without a value: it goes by null, and with no form it is only shown.
  init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value?> & Sendable,
    _ form: Form<Value>? = nil
  ) {
    self.path = path.split(separator: ".").map { String($0) }
    show = { $0[keyPath: value]?.json }
    take = { owner, members, name throws(Refusal) in
      if let form, members.object[name] != nil { owner[keyPath: value] = try form.read(members, name) }
    }
  }
}

extension Field {
  /// Puts the member into an object, at its place.
  fileprivate func show(_ owner: Owner, in object: inout JSONObject) {
    guard let value = show(owner) else { return }
    Self.put(value, at: path[...], in: &object)
  }

  private static func put(_ value: JSON, at path: ArraySlice<String>, in object: inout JSONObject) {
    guard let name = path.first, path.count > 1 else {
      if let name = path.first { object[name] = value }
      return
    }
    var inner = object[name]?.object ?? [:]
    put(value, at: path.dropFirst(), in: &inner)
    object[name] = .object(inner)
  }

  fileprivate func take(from members: Members, to owner: inout Owner) throws(Refusal) {
    var members = members
    for name in path.dropLast() {
      guard let inner = try members.members(name) else { return }
      members = inner
    }
    try take(&owner, members, path.last ?? "")
  }
}

extension Array {
  /// The members that the fields show.
  func json<Owner>(of owner: Owner) -> JSONObject where Element == Field<Owner> {
    var object: JSONObject = [:]
    for field in self { field.show(owner, in: &object) }
    return object
  }

  /// Takes over what an update gives; what it leaves out stays as it is.
  func update<Owner>(_ owner: inout Owner, from members: Members) throws(Refusal)
  where Element == Field<Owner> { for field in self { try field.take(from: members, to: &owner) } }
}
