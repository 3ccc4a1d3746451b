"""A public SOAP client against a region: its description, both versions, a fault."""

import sys
from decimal import Decimal

import zeep

base = sys.argv[1]
client = zeep.Client(base + "/fx/quote?wsdl")
for service in client.wsdl.services.values():
    for port in service.ports.values():
        asked = client.create_service(port.binding.name, base + "/fx/quote")
        question = dict(FX_AMOUNT=Decimal("100.00"), FX_TO="EUR", FX_RATE=0, FX_RESULT=0, FX_REMARK="")
        answer = asked.fxQuote(FX_FROM="CHF", **question)
        print(port.name, answer.FX_RESULT, answer.FX_REMARK)
        try:
            asked.fxQuote(FX_FROM="XXX", **question)
        except zeep.exceptions.Fault as fault:
            print(port.name, fault.message)
