package import JSON
package import Time

// What members are made of.

extension String: ControlValue {
  /// Text for a person: at most 200 characters, which may each have several code points.
  package static var schema: Schema { .text(maximum: 800) }

  package func write(to writer: inout JSONWriter) { writer.write(self) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.readable
  }
}

extension Bool: ControlValue {
  package static var schema: Schema { .boolean }

  package func write(to writer: inout JSONWriter) { writer.write(self) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.bool.readable
  }
}

extension Int: ControlValue {
  package static var schema: Schema { .count }

  package func write(to writer: inout JSONWriter) { writer.write(self) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.int.readable
  }
}

/// A uid, as the kernel counts users.
extension UInt32: ControlValue {
  package static var schema: Schema { .integer(0...Int(UInt32.max)) }

  package func write(to writer: inout JSONWriter) { writer.write(Int(self)) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.int.flatMap(UInt32.init(exactly:)).readable
  }
}

extension Timestamp: ControlValue {
  package static var schema: Schema { .instant }

  package func write(to writer: inout JSONWriter) { writer.write(text) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.flatMap { Timestamp(text: $0) }.readable
  }
}

extension JSON: ControlValue {
  package static var schema: Schema { .anything }

  package func write(to writer: inout JSONWriter) { writer.write(self) }

  package init(reading json: JSON) { self = json }

  package var json: JSON { self }
}

extension JSONObject: ControlValue {
  package static var schema: Schema { .map(.anything) }

  package func write(to writer: inout JSONWriter) { writer.write(self) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.object.readable
  }
}

extension Array: ControlValue where Element: ControlValue {
  package static var schema: Schema { .array(Element.schema) }

  package func write(to writer: inout JSONWriter) {
    writer.openArray()
    for element in self {
      writer.beginElement()
      element.write(to: &writer)
    }
    writer.closeArray()
  }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.array.readable.map { (element) throws(UnreadableValue) in try Element(reading: element) }
  }
}

/// `null`, or a value.
extension Optional: ControlValue where Wrapped: ControlValue {
  package static var schema: Schema { .nullable(Wrapped.schema) }

  package func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.writeNull() }
  }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = json.isNull ? nil : try Wrapped(reading: json)
  }
}
