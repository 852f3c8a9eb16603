"""What members may have the daemon store, erase and derive."""

from .clients import members, request, write_again_and_again
from .registry import attack

ERASE = request(1, "device.removeLocalData", confirm=True)


@attack("erasures by members who have nothing, as many as they may try")
def erasures_of_nothing(stage):
    write_again_and_again(members(stage, 14, 1), ERASE)


@attack("the same of members who begin anew each time")
def erasures_of_something(stage):
    stage.client.call("backup.create")
    uri = "otpauth://totp/name?secret=" + "A" * 52
    write_again_and_again(members(stage, 14, 1), request(1, "passcode.import", uri=uri), ERASE)


@attack("calls of fourteen members that are refused, each of which leaves an entry of the audit")
def refused_writes(stage):
    write_again_and_again(members(stage, 14, 1), request(1, "account.remove", account="acc_nobodys"))


@attack("backups, one after the other")
def backups(stage):
    write_again_and_again([stage.connect()], request(1, "backup.create"))
