import JSON

/// One member of a resource: its place in the JSON, how it is shown and, unless it only is, what an update makes of it.
struct Field<Owner>: Sendable {
  /// The names of the member and of the objects that it is in, by dots: `push.numberMatching.enabled`.
  private let path: [String]
  private let show: @Sendable (Owner) -> JSON?
  private let take: @Sendable (inout Owner, Members, String) throws(PingOneError) -> Void

  private init(
    _ path: String,
    show: @escaping @Sendable (Owner) -> JSON?,
    take: @escaping @Sendable (inout Owner, Members, String) throws(PingOneError) -> Void
  ) {
    self.path = path.split(separator: ".").map { String($0) }
    self.show = show
    self.take = take
  }

  /// What is only shown.
  init<Value: Shown>(_ path: String, _ value: any KeyPath<Owner, Value> & Sendable) {
    self.init(path, show: { $0[keyPath: value].json }) { _, _, _ in }
  }

  /// What is only shown, if it is there.
  init<Value: Shown>(_ path: String, _ value: any KeyPath<Owner, Value?> & Sendable) {
    self.init(path, show: { $0[keyPath: value]?.json }) { _, _, _ in }
  }

  /// A setting that always has a value: what is absent or null leaves it as it is.
  private init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value> & Sendable,
    read: @escaping @Sendable (Members, String) throws(PingOneError) -> Value?
  ) {
    self.init(path, show: { $0[keyPath: value].json }) { owner, members, name throws(PingOneError) in
      owner[keyPath: value] = try read(members, name) ?? owner[keyPath: value]
    }
  }

  /// A setting that may be without a value: it goes by null.
  private init<Value: Shown>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value?> & Sendable,
    read: @escaping @Sendable (Members, String) throws(PingOneError) -> Value?
  ) {
    self.init(path, show: { $0[keyPath: value]?.json }) { owner, members, name throws(PingOneError) in
      if members.object[name] != nil { owner[keyPath: value] = try read(members, name) }
    }
  }
}

// The forms that settings have.
extension Field {
  static func flag(_ path: String, _ value: any WritableKeyPath<Owner, Bool> & Sendable) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.bool(name) }
  }

  static func int(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Int> & Sendable,
    _ range: ClosedRange<Int>
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.int(name, in: range) }
  }

  static func int(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Int?> & Sendable,
    _ range: ClosedRange<Int>
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.int(name, in: range) }
  }

  /// A text of at most so many bytes.
  static func text(
    _ path: String,
    _ value: any WritableKeyPath<Owner, String> & Sendable,
    _ maximum: Int = 256
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.text(name, maximum: maximum) }
  }

  /// A text of at most so many bytes; an empty one is none.
  static func text(
    _ path: String,
    _ value: any WritableKeyPath<Owner, String?> & Sendable,
    _ maximum: Int = 256
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in
      try members.text(name, maximum: maximum).flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  static func choice<Value: Choice>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value> & Sendable
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.choice(name, of: Value.self) }
  }

  static func choice<Value: Choice>(
    _ path: String,
    _ value: any WritableKeyPath<Owner, Value?> & Sendable
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in try members.choice(name, of: Value.self) }
  }

  static func span(
    _ path: String,
    _ value: any WritableKeyPath<Owner, TimeSpan> & Sendable,
    _ seconds: ClosedRange<Int>,
    _ units: TimeSpan.Unit...
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in
      try members.timeSpan(name, seconds, units)
    }
  }
}

extension Field {
  /// A duration that may be absent, with the names `amount` and `units`.
  static func amount(
    _ path: String,
    _ value: any WritableKeyPath<Owner, TimeSpan?> & Sendable,
    _ seconds: ClosedRange<Int>,
    _ units: TimeSpan.Unit...
  ) -> Field {
    Field(path, value) { members, name throws(PingOneError) in
      try members.timeSpan(name, seconds, units, .amount)
    }
  }
}

/// One of a closed set of names.
typealias Choice = RawRepresentable<String> & CaseIterable & Shown

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

  /// Takes over what an update says of the member.
  fileprivate func take(from members: Members, to owner: inout Owner) throws(PingOneError) {
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
  func update<Owner>(_ owner: inout Owner, from members: Members) throws(PingOneError)
  where Element == Field<Owner> {
    for field in self { try field.take(from: members, to: &owner) }
  }
}
