"""A public SOAP client, which sends WS-Addressing because the description names
actions: what it asked for, what the answer says of itself, and whether it says to
answer that request."""

import sys
from decimal import Decimal

import zeep
from zeep.plugins import HistoryPlugin

WSA = "{http://www.w3.org/2005/08/addressing}"
base = sys.argv[1]
history = HistoryPlugin()
client = zeep.Client(base + "/fx/quote?wsdl", plugins=[history])
service = client.create_service("{http://www.FXS1.FXS1.com}FXS1HTTPSoap12Binding", base + "/fx/quote")
answer = service.fxQuote(
    FX_AMOUNT=Decimal("100.00"), FX_FROM="CHF", FX_TO="EUR", FX_RATE=0, FX_RESULT=0, FX_REMARK=""
)


def header(message, name):
    return message["envelope"].find(".//" + WSA + name).text


sent, received = history.last_sent, history.last_received
own = header(sent, "MessageID") == header(received, "RelatesTo")
print(answer.FX_RESULT, header(sent, "Action"), header(received, "Action"), own)
