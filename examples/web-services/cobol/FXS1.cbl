      * The service: what an amount is worth in another currency. Its
      * record is in the container DFHWS-DATA. A currency that it does
      * not know is a fault for who asks.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXS1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DATA                     PIC X(16) VALUE 'DFHWS-DATA'.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-FROM                     PIC 9(5)V9(6) COMP-3.
       01  WS-TO                       PIC 9(5)V9(6) COMP-3.
       01  WS-CODE                     PIC X(3).
       01  WS-WORTH                    PIC 9(5)V9(6) COMP-3.
       01  WS-REASON                   PIC X(40).
       01  WS-DETAIL                   PIC X(80).
       COPY FXQUOTE.
       PROCEDURE DIVISION.
           MOVE LENGTH OF FX-QUOTE TO WS-LENGTH
           EXEC CICS GET CONTAINER(WS-DATA) INTO(FX-QUOTE)
               FLENGTH(WS-LENGTH) END-EXEC
           MOVE FX-FROM TO WS-CODE
           PERFORM LOOK-UP
           MOVE WS-WORTH TO WS-FROM
           MOVE FX-TO TO WS-CODE
           PERFORM LOOK-UP
           MOVE WS-WORTH TO WS-TO
           COMPUTE FX-RATE ROUNDED = WS-FROM / WS-TO
           COMPUTE FX-RESULT ROUNDED = FX-AMOUNT * WS-FROM / WS-TO
           MOVE 'Mid-market, not a promise' TO FX-REMARK
           EXEC CICS PUT CONTAINER(WS-DATA) FROM(FX-QUOTE)
               FLENGTH(LENGTH OF FX-QUOTE) END-EXEC
           EXEC CICS RETURN END-EXEC.
      * What a unit of a currency is worth in euro.
       LOOK-UP.
           EVALUATE WS-CODE
               WHEN 'EUR' MOVE 1 TO WS-WORTH
               WHEN 'USD' MOVE 0.92 TO WS-WORTH
               WHEN 'GBP' MOVE 1.17 TO WS-WORTH
               WHEN 'CHF' MOVE 1.05 TO WS-WORTH
               WHEN 'JPY' MOVE 0.0061 TO WS-WORTH
               WHEN OTHER PERFORM REFUSE
           END-EVALUATE.
       REFUSE.
           MOVE SPACES TO WS-REASON WS-DETAIL
           STRING 'There is no currency ' WS-CODE
               DELIMITED BY SIZE INTO WS-REASON
           STRING '<currency xmlns="urn:fx">' WS-CODE '</currency>'
               DELIMITED BY SIZE INTO WS-DETAIL
           EXEC CICS SOAPFAULT CREATE CLIENT
               FAULTSTRING(WS-REASON) FAULTSTRLEN(24)
               DETAIL(WS-DETAIL) DETAILLENGTH(80)
               RESP(WS-RESP) END-EXEC
           EXEC CICS RETURN END-EXEC.
