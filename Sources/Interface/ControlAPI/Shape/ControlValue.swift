package import JSON

/// A value that requests and results hold: it has a schema, writes itself and is read back.
package protocol ControlValue: Sendable {
  static var schema: Schema { get }

  func write(to writer: inout JSONWriter)

  /// Reads what another program wrote, tolerating members that it does not know.
  init(reading json: JSON) throws(UnreadableValue)
}

/// A value that is an object, said once by its shape.
package protocol ControlObject: ControlValue {
  static var shape: Shape<Self> { get }
}

/// What was read is not the value that it had to be.
package struct UnreadableValue: Error, Equatable {
  /// The members that lead to what could not be read, from the outside inwards.
  package private(set) var path: [String] = []

  func inside(_ member: String) -> UnreadableValue {
    var error = self
    error.path.insert(member, at: 0)
    return error
  }
}

extension Optional {
  /// What was found where something is needed.
  var readable: Wrapped {
    get throws(UnreadableValue) {
      guard let self else { throw UnreadableValue() }
      return self
    }
  }
}

extension ControlObject {
  package static var schema: Schema { shape.schema }

  package func write(to writer: inout JSONWriter) { Self.shape.write(self, to: &writer) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try Self.shape.read(json.object.readable)
  }
}

extension ControlValue {
  /// The value as one line of UTF-8.
  package var serialized: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.finish()
  }

  /// The value as a tree, for what has to look into it.
  package var json: JSON { JSON(write) }
}

extension JSON {
  /// What is written, as a tree.
  init(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self = (try? JSON(parsing: writer.finish(), maximumDepth: 256)) ?? .null
  }
}
