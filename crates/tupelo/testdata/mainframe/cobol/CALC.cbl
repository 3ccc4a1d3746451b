      * What is called: it changes each field, or does what CALC-OP says.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALC.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY CALC.
       PROCEDURE DIVISION.
           EVALUATE CALC-OP
               WHEN 'ABND'
                   EXEC CICS ABEND ABCODE('OOPS') END-EXEC
               WHEN 'WAIT'
                   EXEC CICS DELAY FOR SECONDS(20) END-EXEC
           END-EVALUATE
           MOVE FUNCTION UPPER-CASE(CALC-NAME) TO CALC-NAME
           ADD 1 TO CALC-COUNT
           MULTIPLY 2 BY CALC-PRICE
           SUBTRACT 1000 FROM CALC-TOTAL
           EXEC CICS RETURN END-EXEC.
