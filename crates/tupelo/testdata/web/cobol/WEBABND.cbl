      * Makes an answer and abends: the client hears of the abend.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBABND.
       PROCEDURE DIVISION.
           EXEC CICS WEB SEND FROM('answer') FROMLENGTH(6) END-EXEC
           EXEC CICS ABEND ABCODE('OOPS') END-EXEC
           EXEC CICS RETURN END-EXEC.
