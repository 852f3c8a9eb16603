package import JSON
package import JSONRPC
internal import WebAddress

extension RPCError {
  /// Every error of the interface but those that are reserved.
  package static let documented = ofProtocol + ofNativeSDK + ofDaemon

  private static let ofProtocol: [RPCError] = [
    parseError, invalidRequest, requestTooLarge, nestingTooDeep, duplicateName, batchTooLarge,
    methodNotFound, invalidParams, internalError, resultTooLarge,
  ]

  /// The errors that any call can end with, whatever its method.
  package static let common = ofProtocol + [internalFailure, locked, misconfigured, rateLimited, storage]

  /// Reads the error of a reply; what every program knows of it is that of the same code and reason.
  package init(reading json: JSON) throws(UnreadableValue) {
    guard let code = json["code"]?.int else { throw UnreadableValue().inside("code") }
    guard let message = json["message"]?.string else { throw UnreadableValue().inside("message") }
    let data = json["data"]
    let alike = Self.documented.filter { $0.code == code }
    let known = alike.first { $0.reason == data?["reason"]?.string } ?? alike.first
    let details = data?["details"]?.object ?? [:]
    let cause = data?["cause"]?.string
    let remedy = cause.flatMap { ErrorCause(rawValue: $0) }?.remedy(at: details.origin)
    self = RPCError(
      code,
      data?["reason"]?.string ?? known?.reason ?? "",
      message,
      retry: data?["retry"]?.bool ?? known?.retry ?? false,
      exit: known?.exitCode ?? .refused,
      hint: remedy ?? known?.hint,
      causes: known?.causes ?? []
    )
    .caused(by: cause)
    .with(details)
  }
}

extension JSONObject {
  /// The origin that was asked, where the details of an error name one.
  fileprivate var origin: Origin? { self["origin"]?.string.flatMap { WebURL($0)?.origin } }
}
