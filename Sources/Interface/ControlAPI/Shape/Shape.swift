internal import JSON

/// The table of an object's members: it makes the schema, writes the object and reads it.
package struct Shape<Root: Sendable>: Sendable {
  /// The members, in the order in which they are written.
  package let properties: [Property]
  package let schema: Schema

  // Lent, since otherwise each of them takes a copy of the whole.
  private let writers: [@Sendable (borrowing Root, inout JSONWriter) -> Void]
  private let reader: @Sendable (JSONObject) throws(UnreadableValue) -> Root

  /// A shape that the interface's document defines once, under a name.
  package init<each Value: Sendable>(
    _ name: String,
    _ make: @escaping @Sendable (repeat each Value) -> Root,
    _ fields: repeat Field<Root, each Value>
  ) {
    self.init(named: name, make, repeat each fields)
  }

  /// A shape that is described where it is used.
  package init<each Value: Sendable>(
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
