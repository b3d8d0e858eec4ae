"""The Streamlit app: widgets and words only; every number comes from the core."""
