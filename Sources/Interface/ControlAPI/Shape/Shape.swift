internal import JSON

/// The table of an object's members, which defines its schema and how it is written and read.
public struct Shape<Root: Sendable>: Sendable {
  /// The members, in the order in which they are written.
  public let properties: [Property]
  public let schema: Schema

  // The writers borrow the root: otherwise each of them would copy the whole object.
  private let writers: [@Sendable (borrowing Root, inout JSONWriter) -> Void]
  private let reader: @Sendable (JSONObject) throws(UnreadableValue) -> Root

  /// Creates a shape that the OpenRPC document defines once, under a name.
  public init<each Value: Sendable>(
    _ name: String,
    _ make: @escaping @Sendable (repeat each Value) -> Root,
    _ fields: repeat Field<Root, each Value>
  ) {
    self.init(named: name, make, repeat each fields)
  }

  /// Creates a shape that the OpenRPC document describes at each use.
  public init<each Value: Sendable>(
    _ make: @escaping @Sendable (repeat each Value) -> Root,
    _ fields: repeat Field<Root, each Value>
  ) {
    self.init(named: nil, make, repeat each fields)
  }

  private init<each Value: Sendable>(
    named name: String?,
    _ make: @escaping @Sendable (repeat each Value) -> Root,
    _ fields: repeat Field<Root, each Value>
  ) {
    var properties: [Property] = []
    var writers: [@Sendable (borrowing Root, inout JSONWriter) -> Void] = []
    for field in repeat each fields {
      properties += field.properties
      writers.append(field.write)
    }
    let schema = Schema.object(properties)
    self.properties = properties
    self.schema = name.map { .named(NamedSchema(name: $0, schema: schema)) } ?? schema
    self.writers = writers
    let readers = (repeat (each fields).read)
    reader = { (object) throws(UnreadableValue) in make(repeat try (each readers)(object)) }
  }

  func write(_ root: borrowing Root, to writer: inout JSONWriter) {
    writer.openObject()
    writeMembers(root, to: &writer)
    writer.closeObject()
  }

  func writeMembers(_ root: borrowing Root, to writer: inout JSONWriter) {
    for write in writers { write(root, &writer) }
  }

  func read(_ object: JSONObject) throws(UnreadableValue) -> Root { try reader(object) }
}

/// A member of an object: its name, getter, schema and description, and whether it is optional.
public struct Field<Root: Sendable, Value: Sendable>: Sendable {
  let properties: [Property]
  let write: @Sendable (borrowing Root, inout JSONWriter) -> Void
  let read: @Sendable (JSONObject) throws(UnreadableValue) -> Value
}

extension Field {
  /// Creates a member that is always written; `read` gets `nil` if the member is absent.
  private init<Member: ControlValue>(
    _ property: Property,
    _ get: @escaping @Sendable (Root) -> Member,
    read: @escaping @Sendable (JSON?) throws(UnreadableValue) -> Value
  ) {
    let name = JSONWriter.Name(property.name)
    self.init(property, read) { root, writer in
      writer.name(name)
      get(root).write(to: &writer)
    }
  }

  /// Creates a member that is omitted if `get` returns `nil`.
  private init<Member: ControlValue>(
    _ property: Property,
    ifAny get: @escaping @Sendable (Root) -> Member?,
    read: @escaping @Sendable (JSON?) throws(UnreadableValue) -> Value
  ) {
    let name = JSONWriter.Name(property.name)
    self.init(property, read) { root, writer in
      guard let member = get(root) else { return }
      writer.name(name)
      member.write(to: &writer)
    }
  }

  private init(
    _ property: Property,
    _ read: @escaping @Sendable (JSON?) throws(UnreadableValue) -> Value,
    _ write: @escaping @Sendable (borrowing Root, inout JSONWriter) -> Void
  ) {
    self.init(
      properties: [property],
      write: write,
      read: { (object) throws(UnreadableValue) in
        do throws(UnreadableValue) { return try read(object[property.name]) } catch {
          throw error.inside(property.name)
        }
      }
    )
  }
}

extension Field where Value: ControlValue {
  /// A member that is always present.
  public static func required(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Value,
    as schema: Schema = Value.schema,
    _ meaning: String
  ) -> Field {
    let property = Property(name: name, schema: schema, isRequired: true, meaning: meaning, standard: nil)
    return Field(property, get) { (json) throws(UnreadableValue) in
      try Value(reading: json.readable)
    }
  }

  /// A member that is omitted if it has its default value.
  public static func optional(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Value,
    as schema: Schema = Value.schema,
    default standard: Value,
    _ meaning: String
  ) -> Field where Value: Equatable {
    let property = Property(
      name: name,
      schema: schema,
      isRequired: false,
      meaning: meaning,
      standard: standard.json
    )
    return Field(property, ifAny: { get($0) == standard ? nil : get($0) }) { (json) throws(UnreadableValue) in
      guard let json else { return standard }
      return try Value(reading: json)
    }
  }
}

extension Field {
  /// A member that may be absent.
  public static func optional<Wrapped: ControlValue>(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Wrapped?,
    as schema: Schema = Wrapped.schema,
    _ meaning: String
  ) -> Field where Value == Wrapped? {
    let property = Property(name: name, schema: schema, isRequired: false, meaning: meaning, standard: nil)
    return Field(property, ifAny: get) { (json) throws(UnreadableValue) in
      guard let json else { return nil }
      return try Wrapped(reading: json)
    }
  }
}

extension Field where Value: ControlObject {
  /// The members of another object, written as members of this one.
  public static func inline(_ get: @escaping @Sendable (Root) -> Value) -> Field {
    Field(
      properties: Value.shape.properties,
      write: { Value.shape.writeMembers(get($0), to: &$1) },
      read: { (object) throws(UnreadableValue) in try Value.shape.read(object) }
    )
  }
}

extension Field where Value == Void {
  /// A confirmation, which must be `true`.
  public static func confirmation(_ name: String, _ meaning: String) -> Field {
    let property = Property(
      name: name,
      schema: .confirmation,
      isRequired: true,
      meaning: meaning,
      standard: nil
    )
    return Field(property, { _ in true }) { (json) throws(UnreadableValue) in
      guard json?.bool == true else { throw UnreadableValue() }
    }
  }
}
