internal import JSON

/// A member of an object, said once: its name, how it is got, its schema, what it means, and whether it may be absent.
package struct Field<Root: Sendable, Value: Sendable>: Sendable {
  let properties: [Property]
  let write: @Sendable (Root, inout JSONWriter) -> Void
  let read: @Sendable (JSONObject) throws(UnreadableValue) -> Value
}

extension Field where Value: ControlValue {
  /// A member that is always there.
  package static func required(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Value,
    as schema: Schema = Value.schema,
    _ meaning: String
  ) -> Field {
    let written = JSONWriter.Name(name)
    return Field(
      properties: [Property(name: name, schema: schema, isRequired: true, meaning: meaning, standard: nil)],
      write: { root, writer in
        writer.name(written)
        get(root).write(to: &writer)
      },
      read: { (object) throws(UnreadableValue) in
        guard let value = object[name] else { throw UnreadableValue().inside(name) }
        return try Value.read(value, as: name)
      }
    )
  }

  /// A member that is left out when it has its usual value.
  package static func optional(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Value,
    as schema: Schema = Value.schema,
    default standard: Value,
    _ meaning: String
  ) -> Field where Value: Equatable {
    let written = JSONWriter.Name(name)
    return Field(
      properties: [
        Property(name: name, schema: schema, isRequired: false, meaning: meaning, standard: standard.json)
      ],
      write: { root, writer in
        let value = get(root)
        guard value != standard else { return }
        writer.name(written)
        value.write(to: &writer)
      },
      read: { (object) throws(UnreadableValue) in
        guard let value = object[name] else { return standard }
        return try Value.read(value, as: name)
      }
    )
  }
}

extension Field {
  /// A member that may be absent.
  package static func optional<Wrapped: ControlValue>(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> Wrapped?,
    as schema: Schema = Wrapped.schema,
    _ meaning: String
  ) -> Field where Value == Wrapped? {
    let written = JSONWriter.Name(name)
    return Field(
      properties: [Property(name: name, schema: schema, isRequired: false, meaning: meaning, standard: nil)],
      write: { root, writer in
        guard let value = get(root) else { return }
        writer.name(written)
        value.write(to: &writer)
      },
      read: { (object) throws(UnreadableValue) in
        guard let value = object[name] else { return nil }
        return try Wrapped.read(value, as: name)
      }
    )
  }
}

extension Field where Value: ControlObject {
  /// The members of another object, which stand among those of this one.
  package static func inline(_ get: @escaping @Sendable (Root) -> Value) -> Field {
    Field(
      properties: Value.shape.properties,
      write: { Value.shape.writeMembers(get($0), to: &$1) },
      read: { (object) throws(UnreadableValue) in try Value.shape.read(object) }
    )
  }
}

extension Field where Value == Void {
  /// A question that has to be answered with `true`.
  package static func confirmation(_ name: String, _ meaning: String) -> Field {
    let written = JSONWriter.Name(name)
    return Field(
      properties: [
        Property(name: name, schema: .confirmation, isRequired: true, meaning: meaning, standard: nil)
      ],
      write: { _, writer in
        writer.name(written)
        writer.write(true)
      },
      read: { (object) throws(UnreadableValue) in
        guard object[name]?.bool == true else { throw UnreadableValue().inside(name) }
      }
    )
  }
}

extension ControlValue {
  fileprivate static func read(_ json: JSON, as member: String) throws(UnreadableValue) -> Self {
    do { return try Self(reading: json) } catch { throw error.inside(member) }
  }
}
