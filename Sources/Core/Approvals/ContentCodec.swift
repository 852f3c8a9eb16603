internal import Accounts
internal import ControlAPI
internal import JSON

// How contents lie in the database. The interface may rename what it shows without making a stored row unreadable.

extension ApprovalRequest.Content {
  var stored: JSON {
    var object = JSONObject()
    object["title"] = shown.title.map { .string($0) }
    object["body"] = shown.body.map { .string($0) }
    object["clientContext"] = shown.clientContext
    object["applicationContext"] = shown.applicationContext
    object["category"] = shown.category.map { .string($0) }
    object["numberMatching"] = shown.numberMatching.map { .string($0) }
    object["numberOptions"] = shown.numberOptions.map { .array($0.map(JSON.int)) }
    if !users.isEmpty { object["users"] = .array(users.map(\.stored)) }
    object["userApproval"] = userApproval.map { .string($0) }
    object["approverDetails"] = approverDetails
    return .object(object)
  }

  init(stored json: JSON) {
    self.init()
    (shown.title, shown.body) = (json["title"]?.string, json["body"]?.string)
    shown.category = json["category"]?.string
    (shown.clientContext, shown.applicationContext) = (json["clientContext"], json["applicationContext"])
    shown.numberMatching = json["numberMatching"]?.string
    shown.numberOptions = json["numberOptions"]?.array?.compactMap(\.int)
    users = json["users"]?.array?.compactMap { User(stored: $0) } ?? []
    userApproval = json["userApproval"]?.string
    approverDetails = json["approverDetails"]
  }
}
