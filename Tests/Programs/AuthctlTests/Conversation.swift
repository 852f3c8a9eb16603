@testable import ControlAPI
import JSON
import JSONRPC

/// Checks scenarios against the interface.
///
/// A scenario that no daemon could play proves nothing.
enum Conversation {
  struct Misfit: Error, CustomStringConvertible {
    let description: String
  }

  /// True if the daemon accepts the request.
  static func isKnown(_ name: String, _ params: JSON?) -> Bool {
    guard let method = method(name) else { return false }
    do {
      _ = try method.init(parsing: params)
      return true
    } catch {
      return false
    }
  }

  /// Completes a result of a method with the members of the method's example.
  static func result(of name: String, _ result: JSON) throws -> JSON {
    guard let method = method(name) else { throw Misfit(description: "there is no method \(name)") }
    return try fitting(result, method.resultSchema, method.exampleJSON.result)
  }

  /// Completes the payload of an event in the same way.
  static func payload(of topic: String, _ payload: JSON) throws -> JSON {
    switch topic {
    case ControlEvent.lost: return try fitting(payload, LostEvents.schema, .null)
    case EventTopic.notification.rawValue: return try fitting(payload, Samples.notification)
    case EventTopic.pairing.rawValue: return try fitting(payload, Samples.pairing)
    case EventTopic.authentication.rawValue: return try fitting(payload, Samples.code)
    case EventTopic.account.rawValue: return try fitting(payload, Samples.account)
    default: throw Misfit(description: "there is no topic \(topic)")
    }
  }

  /// Checks that the error is documented and complete.
  static func error(_ error: JSON) throws -> JSON {
    let isDocumented = (RPCError.documented + RPCError.reserved).contains {
      error["code"] == .int($0.code) && error["data"]?["reason"] == .string($0.reason)
    }
    guard isDocumented, error["message"]?.string != nil, error["data"]?["retry"]?.bool != nil else {
      throw Misfit(description: "the interface has no such error")
    }
    return error
  }

  private static func method(_ name: String) -> (any ControlMethod.Type)? {
    MethodTable.all.first { $0.name == name }
  }

  private static func fitting<Value: ControlValue>(_ value: JSON, _ example: Value) throws -> JSON {
    try fitting(value, Value.schema, example.json)
  }

  private static func fitting(_ value: JSON, _ schema: Schema, _ example: JSON) throws -> JSON {
    let completed = schema.completed(value, from: example)
    guard schema.accepts(completed) else {
      throw Misfit(description: "this does not fit the interface: \(completed.text)")
    }
    return completed
  }
}

extension Schema {
  /// Adds the missing members.
  ///
  /// Lists are not extended.
  fileprivate func completed(_ value: JSON, from example: JSON?) -> JSON {
    switch (self, value) {
    case (.named(let named), _): named.schema.completed(value, from: example)
    case (.nullable(let schema), _): value.isNull ? value : schema.completed(value, from: example)
    case (.either(let one, let other), _):
      [one, other].map { $0.completed(value, from: example) }.first(where: accepts) ?? value
    case (.array(let schema), .array(let elements)):
      .array(elements.map { schema.completed($0, from: example?.array?.first) })
    case (.map(let schema), .object(let object)):
      .object(
        JSONObject(
          object.members.map {
            ($0.name, schema.completed($0.value, from: example?.object?.members.first?.value))
          }
        )
      )
    case (.object(let properties), .object(var object)):
      .object(complete(&object, properties, from: example))
    default: value
    }
  }

  private func complete(_ object: inout JSONObject, _ properties: [Property], from example: JSON?)
    -> JSONObject
  {
    for property in properties {
      if let value = object[property.name] {
        object[property.name] = property.schema.completed(value, from: example?[property.name])
      } else if property.isRequired {
        object[property.name] = property.schema.accepts([]) ? [] : example?[property.name]
      }
    }
    return object
  }
}
